/// A file with all the files that it names, read together while the program runs as one checked snapshot. Either all of
/// the new content is in use or all of the old.
public final class CheckedFile<Snapshot: Sendable>: ReloadedFile {
    /// What was read, and the files it was read from, which show when one of them changes.
    public struct Reading: Sendable {
        public let snapshot: Snapshot
        public let files: [String]

        public init(_ snapshot: Snapshot, files: [String]) {
            self.snapshot = snapshot
            self.files = files
        }
    }

    private struct State {
        var reading: Reading
        var fingerprint: FileFingerprint
        var isRefused = false
        var isChanged = false
    }

    public let path: String
    private let read: @Sendable (String) throws(ConfigurationError) -> Reading
    private let state: Locked<State>
    private let accept = Locked<@Sendable (Snapshot) async throws -> Void>({ _ in })

    /// - Parameter read: reads and checks everything, at the start and again when a file has changed.
    /// - Throws: what `read` throws at the start.
    public init(
        path: String, read: @escaping @Sendable (String) throws(ConfigurationError) -> Reading
    ) throws(ConfigurationError) {
        self.path = path
        self.read = read
        let reading = try read(path)
        state = Locked(State(reading: reading, fingerprint: FileFingerprint(reading.files)))
    }

    /// The snapshot in use.
    public var current: Snapshot { state.withLock { $0.reading.snapshot } }

    /// Calls `check` before a new snapshot is used. An error refuses the snapshot.
    public func require(_ check: @escaping @Sendable (Snapshot) async throws -> Void) {
        accept.withLock { $0 = check }
    }

    /// Reads everything again if something has changed, or was refused before.
    public func reload() async -> String? {
        let (known, isRefused) = state.withLock { ($0, $0.isRefused) }
        guard isRefused || FileFingerprint(known.reading.files) != known.fingerprint else { return nil }
        do {
            // Read before the file: a change meanwhile is found by the next check.
            let before = FileFingerprint(known.reading.files)
            let reading = try read(path)
            let fingerprint = reading.files == known.reading.files ? before : FileFingerprint(reading.files)
            try await accept.withLock { $0 }(reading.snapshot)
            state.withLock { $0 = State(reading: reading, fingerprint: fingerprint, isChanged: true) }
            return nil
        } catch {
            state.withLock { $0.isRefused = true }
            let problems = (error as? ConfigurationError)?.problems.map { "\($0.key): \($0.reason)" }
            return "\(path): " + (problems?.joined(separator: "; ") ?? "\(error)")
        }
    }

    public func nextChange() -> String? {
        let isChanged = state.withLock { state in
            defer { state.isChanged = false }
            return state.isChanged
        }
        return isChanged ? "it was read again, with the files that it names" : nil
    }
}
