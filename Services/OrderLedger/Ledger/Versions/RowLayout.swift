import Contracts

/// Which bytes the chain hashes of a row: one version of it.
public struct RowLayout: Sendable {
    public let bytes: @Sendable (RowContent) -> [UInt8]

    /// From the journal's beginning. A row's versions come first: the layout's number is the first byte of all.
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
