import Testing

@testable import OrchardCrypto

@Suite("Recently used values")
struct RecentlyUsedTests {
    @Test("the least recently used value is removed first")
    func eviction() {
        var values = RecentlyUsed<String, Int>(capacity: 3)
        for (value, key) in ["a", "b", "c"].enumerated() { values.keep(value, for: key) }
        #expect(values.use("a") == 0)
        values.keep(3, for: "d")
        #expect(values.use("b") == nil, "it was not used since")
        #expect(["a", "c", "d"].map { values.use($0) } == [0, 2, 3])
        #expect(values.count == 3)
    }

    @Test("a value that is used at each step stays, whatever is added")
    func promotion() {
        var values = RecentlyUsed<Int, Int>(capacity: 16)
        values.keep(-1, for: -1)
        for key in 0..<1_000 {
            #expect(values.use(-1) == -1)
            values.keep(key, for: key)
        }
        #expect(values.count == 16)
    }

    @Test("a value replaces the earlier one of its key")
    func replacement() {
        var values = RecentlyUsed<Int, Int>(capacity: 2)
        values.keep(1, for: 1)
        values.keep(2, for: 1)
        #expect(values.use(1) == 2)
        #expect(values.count == 1)
    }
}
