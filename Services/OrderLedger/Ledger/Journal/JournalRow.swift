import Contracts

/// One row of the ledger: a record as read, what was made of it, and its link of the chain.
///
/// Every record makes a row but a known duplicate, which is only counted: rows = records read − duplicates, always.
public struct JournalRow: Hashable, Sendable {
    /// What was made of a record.
    public enum Disposition: String, Sendable, CaseIterable {
        /// Folded into its order.
        case applied
        /// Early: another producer's fact, or an earlier one, must come first.
        case parked
        /// It contradicts what is known; nothing changed.
        case refused
        /// No fact of ours; nothing changed.
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
    /// What the record posted, itself or by letting a waiting one go on.
    public var entries: [Entry] { content.entries }
    public var faults: [JournalFault] { content.faults }

    /// - Parameter code: what made the row; its layout says what the chain hashes.
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

/// What a row says: all that the chain hashes.
public struct RowContent: Hashable, Sendable {
    public let versions: RowVersions
    public let record: JournalRecord
    public let disposition: JournalRow.Disposition
    /// What the record posted, itself or by letting a waiting one go on.
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

/// Where a record stands in the journal topic.
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

/// Something that the fold could not take into the books; it goes to the dead letters, and a person must look.
public struct JournalFault: Hashable, Sendable {
    /// The record that could not be taken: the row's own, or one that had waited for it.
    public let source: JournalPosition
    /// What the books lack by it.
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
