import Contracts

/// A partition of the ledger while it is written: its position in the journal, its chain and its fold.
///
/// The same code turns records into rows, live and in replay.
public struct PartitionBook: Sendable {
    public var partition: Int32 { fold.partition }
    /// The lowest offset that the next record can have.
    public private(set) var nextOffset: Int64
    /// The offset of the newest row.
    public private(set) var lastOffset: Int64?
    public private(set) var rows: Int64
    /// The number of known duplicates that were read and left out.
    public private(set) var duplicates: Int64
    public private(set) var chain: HashChain
    public var fold: Fold

    /// A partition from its beginning.
    public init(partition: Int32) {
        self.init(fold: Fold(partition: partition))
    }

    /// A partition that continues from the state of a database.
    public init(
        nextOffset: Int64 = 0, lastOffset: Int64? = nil, rows: Int64 = 0, duplicates: Int64 = 0,
        head: [UInt8] = HashChain.genesis, fold: Fold
    ) {
        self.nextOffset = nextOffset
        self.lastOffset = lastOffset
        self.rows = rows
        self.duplicates = duplicates
        chain = HashChain(head: head)
        self.fold = fold
    }

    /// Processes the next record with the newest versions.
    ///
    /// - Returns: its row, or nil for a known duplicate.
    public mutating func append(_ record: JournalRecord) -> JournalRow? {
        append(ReadRecord(record))
    }

    /// Processes the next record with the code that read it.
    ///
    /// - Returns: its row, or nil for a known duplicate.
    public mutating func append(_ read: ReadRecord) -> JournalRow? {
        let record = read.record
        precondition(record.position.partition == partition, "a record of another partition")
        precondition(record.position.offset >= nextOffset, "records come in the order of their offsets")
        nextOffset = record.position.offset + 1
        let row: JournalRow
        switch read.event {
        case .success(let event):
            guard let made = fold(event, read) else {
                duplicates += 1
                return nil
            }
            row = made
        case .failure(let error):
            let fault = JournalFault(
                source: record.position, subject: FaultSubject(unreadable: record), code: error.code.rawValue,
                reason: error.reason)
            row = JournalRow(
                record: record, disposition: .unreadable, event: nil, entries: [], faults: [fault], by: read.code,
                after: &chain)
        }
        rows += 1
        lastOffset = record.position.offset
        return row
    }

    private mutating func fold(_ event: JournalEvent, _ read: ReadRecord) -> JournalRow? {
        do throws(FoldError) {
            let result = try fold.apply(event, by: read.code)
            guard result.disposition != .duplicate else { return nil }
            return JournalRow(
                record: read.record, disposition: result.disposition == .parked ? .parked : .applied,
                event: event.event, entries: result.entries, faults: result.faults, by: read.code, after: &chain)
        } catch {
            let fault = JournalFault(
                source: read.position, subject: FaultSubject(event.fact), code: error.code.rawValue,
                reason: error.reason)
            return JournalRow(
                record: read.record, disposition: .refused, event: event.event, entries: [], faults: [fault],
                by: read.code, after: &chain)
        }
    }
}
