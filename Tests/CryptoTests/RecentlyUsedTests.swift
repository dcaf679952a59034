import Testing

@testable import OrchardCrypto

@Suite("Recently used values")
struct RecentlyUsedTests {
    @Test("the least recently used value is removed first")
    func eviction() {
        var values = RecentlyUsed<Int>(capacity: 3)
        for value in 0..<3 { values.keep(value, for: [0, UInt8(value)]) }
        #expect(values.use([0, 0]) == 0)
        values.keep(3, for: [0, 3])
        #expect(values.use([0, 1]) == nil, "it was not used since")
        #expect([0, 2, 3].map { values.use([0, $0]) } == [0, 2, 3])
        #expect(values.count == 3)
    }

    @Test("a value that is used at each step stays, whatever is added")
    func promotion() {
        var values = RecentlyUsed<Int>(capacity: 16)
        values.keep(-1, for: [])
        for value in 0..<1_000 {
            #expect(values.use([]) == -1)
            values.keep(value, for: [UInt8(value % 256), UInt8(value / 256)])
        }
        #expect(values.count == 16)
    }

    @Test("a value replaces the earlier one of its key")
    func replacement() {
        var values = RecentlyUsed<Int>(capacity: 2)
        values.keep(1, for: [1])
        values.keep(2, for: [1])
        #expect(values.use([1]) == 2)
        #expect(values.count == 1)
    }
}
