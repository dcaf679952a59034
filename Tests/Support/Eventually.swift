/// Waits for a condition that sends no signal: checks it again and again, but not for ever. A test that never ends
/// hides its failure.
///
/// - Parameter limit: long, because the machine may be busy with other things.
public func eventually(
    within limit: Duration = .seconds(120), file: String = #fileID, line: Int = #line,
    _ condition: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + limit
    while try await !condition() {
        guard ContinuousClock.now < end else { throw NeverHeld(file: file, line: line) }
        try await Task.sleep(for: .milliseconds(10))
    }
}

/// A condition never became true.
public struct NeverHeld: Error, CustomStringConvertible {
    let file: String
    let line: Int

    public var description: String { "the condition never held at \(file):\(line)" }
}
