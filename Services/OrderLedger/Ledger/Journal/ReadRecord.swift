/// A record and what its reader makes of it: read once, however often it is looked at.
public struct ReadRecord: Sendable {
    public let record: JournalRecord
    /// What reads, folds, posts and hashes it.
    public let code: VersionedCode
    public let event: Result<JournalEvent, UnreadableRecord>

    public init(_ record: JournalRecord, by code: VersionedCode = VersionRegistry.known.newest) {
        self.record = record
        self.code = code
        do throws(UnreadableRecord) {
            event = .success(try code.reader.read(record))
        } catch {
            event = .failure(error)
        }
    }

    public var position: JournalPosition { record.position }

    /// Whether it tells a fact of ours.
    public var isFact: Bool {
        if case .success = event { true } else { false }
    }

    /// The fact that it tells; nil when it is none of ours.
    public var fact: JournalEvent? { try? event.get() }
}
