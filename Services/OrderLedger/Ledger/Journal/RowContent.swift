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
