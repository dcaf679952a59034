/// A record and the result of its reader, so that it is read only once. A class, because it has a dozen texts and
/// lists: each copy of a value would count them all.
public final class ReadRecord: Sendable {
    public let record: JournalRecord
    /// The code that reads, folds, posts and hashes it.
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

    /// Whether it contains one of our facts.
    public var isFact: Bool {
        if case .success = event { true } else { false }
    }

    /// The fact that it contains; nil when it is not one of ours.
    public var fact: JournalEvent? { try? event.get() }
}
