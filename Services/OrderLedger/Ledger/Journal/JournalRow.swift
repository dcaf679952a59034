import Contracts

/// One row of the ledger: a record as read, its result, and its link of the chain.
///
/// Every record makes a row except a known duplicate, which is only counted: rows = records read − duplicates, always.
/// A class, as ``ReadRecord`` is.
public final class JournalRow: Hashable, Sendable {
    /// The result of a record.
    public enum Disposition: String, Sendable, CaseIterable {
        /// Folded into its order.
        case applied
        /// Early: another producer's fact, or an earlier one, must come first.
        case parked
        /// It contradicts what is known; nothing changed.
        case refused
        /// Not one of our facts; nothing changed.
        case unreadable
    }

    public let content: RowContent
    /// The envelope; nil for an unreadable record.
    public let event: CloudEvent?
    /// The chain's head after this row.
    public let hash: [UInt8]

    public var versions: RowVersions { content.versions }
    public var record: JournalRecord { content.record }
    public var disposition: Disposition { content.disposition }
    /// What the record posted, itself or through waiting facts that it released.
    public var entries: [Entry] { content.entries }
    public var faults: [JournalFault] { content.faults }

    /// - Parameter code: the code that made the row; its layout defines what the chain hashes.
    public init(
        record: JournalRecord, disposition: Disposition, event: CloudEvent?, entries: [Entry], faults: [JournalFault],
        by code: VersionedCode, after chain: inout HashChain
    ) {
        content = RowContent(
            versions: code.versions, record: record, disposition: disposition, entries: entries, faults: faults)
        self.event = event
        hash = chain.append(code.layout.bytes(content))
    }
}

extension JournalRow {
    public static func == (left: JournalRow, right: JournalRow) -> Bool {
        left === right || (left.content == right.content && left.event == right.event && left.hash == right.hash)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(content)
        hasher.combine(event)
        hasher.combine(hash)
    }
}

/// The content of a row: all that the chain hashes.
public struct RowContent: Hashable, Sendable {
    public let versions: RowVersions
    public let record: JournalRecord
    public let disposition: JournalRow.Disposition
    /// What the record posted, itself or through waiting facts that it released.
    public let entries: [Entry]
    public let faults: [JournalFault]

    public init(
        versions: RowVersions, record: JournalRecord, disposition: JournalRow.Disposition, entries: [Entry],
        faults: [JournalFault]
    ) {
        self.versions = versions
        self.record = record
        self.disposition = disposition
        self.entries = entries
        self.faults = faults
    }
}

/// The position of a record in the journal topic.
public struct JournalPosition: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let partition: Int32
    public let offset: Int64

    public init(partition: Int32, offset: Int64) {
        self.partition = partition
        self.offset = offset
    }

    public static func < (left: Self, right: Self) -> Bool {
        (left.partition, left.offset) < (right.partition, right.offset)
    }

    /// As in reports: `P3@1042`.
    public var description: String { "P\(partition)@\(offset)" }
}

/// A fact or record that the fold could not apply to the books. It goes to the dead letters, and an operator must check
/// it.
public struct JournalFault: Hashable, Sendable {
    /// The record that could not be applied: the row's own, or one that had waited for it.
    public let source: JournalPosition
    /// What is missing in the books because of it.
    public let subject: FaultSubject
    /// For programs, such as `illegalTransition`.
    public let code: String
    /// For people; never a value of the record.
    public let reason: String

    public init(source: JournalPosition, subject: FaultSubject, code: String, reason: String) {
        self.source = source
        self.subject = subject
        self.code = code
        self.reason = reason
    }
}
