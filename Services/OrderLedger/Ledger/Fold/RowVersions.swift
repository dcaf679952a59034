import Contracts

/// Which versions of the code made a row: stored with the row and hashed with it, so that an upgrade never contradicts
/// old rows (rule 9).
public struct RowVersions: Hashable, Sendable, CustomStringConvertible {
    /// The code that read the record and folded it into its order.
    public let reader: Int16
    /// The code that posted the money that moved.
    public let rules: Int16
    /// The code that laid out the bytes that the chain hashes.
    public let layout: Int16

    public init(reader: Int16, rules: Int16, layout: Int16) {
        self.reader = reader
        self.rules = rules
        self.layout = layout
    }

    public var description: String { "reader \(reader), posting rules \(rules), hash layout \(layout)" }

    /// Whether one of these versions is older than in `other`.
    public func isOlder(than other: Self) -> Bool {
        reader < other.reader || rules < other.rules || layout < other.layout
    }
}

/// The code of one set of versions. It makes a row from a record. Each record that was read refers to it.
public final class VersionedCode: Sendable {
    public let versions: RowVersions
    public let reader: FactReader
    public let rules: PostingRules
    public let layout: RowLayout

    public init(versions: RowVersions, reader: FactReader, rules: PostingRules, layout: RowLayout) {
        self.versions = versions
        self.reader = reader
        self.rules = rules
        self.layout = layout
    }
}

/// One version of the layout of the bytes that the chain hashes of a row.
public struct RowLayout: Sendable {
    public let bytes: @Sendable (RowContent) -> [UInt8]

    /// In use from the journal's beginning. A row's versions come first: the layout's number is the first byte.
    public static let v1 = Self { row in
        var bytes = CanonicalBytes(version: 1)
        bytes.append(Int64(row.versions.reader))
        bytes.append(Int64(row.versions.rules))
        bytes.append(Int64(row.record.position.partition))
        bytes.append(row.record.position.offset)
        bytes.append(row.record.key)
        // Their count, and each header's name and value.
        bytes.append(fieldsOf: row.record.headerBytes)
        bytes.append(row.record.value)
        bytes.append(row.disposition.rawValue)
        bytes.append(row.entries) { bytes, entry in entry.append(to: &bytes) }
        bytes.append(row.faults) { bytes, fault in
            bytes.append(fault.source.offset)
            bytes.append(fault.subject.rawValue)
            bytes.append(fault.code)
            bytes.append(fault.reason)
        }
        return bytes.bytes
    }
}
