import OrchardServiceKit
import Testing

/// Runs the cases of a test on threads that others do not wait for.
///
/// The cooperative pool has as many threads as the machine has processors. While tests that compute for seconds have them
/// all, a test beside them that talks to servers notices nothing in time.
public struct OwnThreads: TestTrait, SuiteTrait, TestScoping {
    private static let pool = ThreadPool(name: "long-tests", threads: 2, waitingPerThread: 10_000)

    public var isRecursive: Bool { true }

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let hasRun: Void? = try await Self.pool.run(function)
        if hasRun == nil { Issue.record("not run: too many tests wait for these threads") }
    }
}

extension Trait where Self == OwnThreads {
    /// For tests that compute for long without waiting for anything.
    public static var ownThreads: Self { OwnThreads() }
}
