import OrchardServiceKit
import Testing

@testable import OrchardPostgres

@Suite("A count for gauges")
struct CountLoopTests {
    /// What a count throws that is no error of PostgreSQL's.
    private struct Damaged: Error {}

    @Test(
        "is told in /readyz when it fails, unless the pool shows the error already",
        arguments: [
            (PostgresError(.server, "no such table", sqlState: "42P01"), true),
            (PostgresError(.value, "a column is missing"), true),
            (Damaged(), true),
            (PostgresError(.connectionLost, "gone"), false),
            (PostgresError(.poolExhausted, "none was free"), false),
            (CancellationError(), false),
        ] as [(any Error, Bool)])
    func failure(error: any Error, isTold: Bool) async {
        let readiness = Readiness()
        let loop = PostgresCountLoop("charges", every: .seconds(1), readiness: readiness)
        await loop.countOnce { throw error }
        #expect((readiness.report.components["charges"]?.isReady == false) == isTold)
        await loop.countOnce {}
        #expect(readiness.report.isReady)
    }
}
