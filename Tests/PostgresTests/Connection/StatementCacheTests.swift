import Testing

@testable import OrchardPostgres

@Suite("Statements are prepared once")
struct StatementCacheTests {
    private let a = StatementCache.Key(sql: "SELECT $1", types: [.int8])
    private let b = StatementCache.Key(sql: "SELECT $1", types: [.text])

    @Test func theSameTextWithOtherTypesIsAnotherStatement() {
        var cache = StatementCache()
        expect(cache.plan([a, b, a]), [.prepare("s1"), .prepare("s2"), .known("s1")])
    }

    @Test func aFailedPreparationIsPlannedAgainUnderAnotherName() {
        var cache = StatementCache()
        _ = cache.plan([a])
        expect(cache.plan([a]), [.prepare("s2")])
        cache.confirm(a, "s2")
        expect(cache.plan([a]), [.known("s2")])
    }

    @Test func beyondTheLimitStatementsRunUnprepared() {
        var cache = StatementCache(capacity: 1)
        expect(cache.plan([a, b]), [.prepare("s1"), .unprepared])
        cache.confirm(a, "s1")
        expect(cache.plan([b, a]), [.unprepared, .known("s1")])
    }

    @Test func whatIsForgottenIsPreparedAnew() {
        var cache = StatementCache()
        _ = cache.plan([a])
        cache.confirm(a, "s1")
        cache.forgetAll()
        expect(cache.plan([a]), [.prepare("s2")])
    }

    private func expect(
        _ plan: [StatementCache.Plan], _ expected: [StatementCache.Plan],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(plan == expected, sourceLocation: sourceLocation)
    }
}
