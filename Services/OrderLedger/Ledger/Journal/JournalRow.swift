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
