import Contracts

/// A row of the ledger as a database stores it; it may have been changed. A class, as ``ReadRecord``: each copy of a value
/// would count a dozen texts and lists.
public final class StoredRow: Sendable {
    public let position: JournalPosition
    public let versions: RowVersions
    public let disposition: JournalRow.Disposition?
    /// nil when it is not stored as the ledger writes it.
    public let record: JournalRecord?
    /// nil when a line is not what the ledger writes.
    public let entries: [Entry]?
    /// nil when they are not what the ledger writes, or not numbered as it does.
    public let faults: [JournalFault]?
    public let hash: [UInt8]
    /// The columns that repeat the record's headers.
    public let columns: EventColumns

    public init(
        position: JournalPosition, versions: RowVersions, disposition: JournalRow.Disposition?, record: JournalRecord?,
        entries: [Entry]?, faults: [JournalFault]?, hash: [UInt8], columns: EventColumns
    ) {
        self.position = position
        self.versions = versions
        self.disposition = disposition
        self.record = record
        self.entries = entries
        self.faults = faults
        self.hash = hash
        self.columns = columns
    }

    /// The columns that a row has for an event.
    public static func columns(of event: CloudEvent?) -> EventColumns {
        EventColumns(
            id: event?.id, type: event?.type, order: event?.subject, source: event?.source, time: event?.time,
            stream: event?.stream?.stream, sequence: event?.stream?.sequence)
    }

    /// Whether another program wrote the record than it names; then its number is not from an outbox.
    var isForeign: Bool {
        faults?.contains { $0.source == position && $0.code == UnreadableRecord.Code.foreignSource.rawValue } ?? false
    }

    /// The content that the chain must hash for this row; nil when it cannot be restored.
    public var content: RowContent? {
        guard let record, let disposition, let entries, let faults else { return nil }
        return RowContent(
            versions: versions, record: record, disposition: disposition, entries: entries, faults: faults)
    }
}

/// The columns of a row that repeat its record's headers.
public struct EventColumns: Hashable, Sendable {
    private let id: EventID?
    private let type: String?
    private let order: OrderID?
    private let source: String?
    private let time: Timestamp?
    private let stream: String?
    private let sequence: Int64?

    public init(
        id: EventID?, type: String?, order: OrderID?, source: String?, time: Timestamp?, stream: String?,
        sequence: Int64?
    ) {
        self.id = id
        self.type = type
        self.order = order
        self.source = source
        self.time = time
        self.stream = stream
        self.sequence = sequence
    }
}
