import Testing

@testable import OrchardServiceKit

@Suite("Random numbers that are not secret")
struct RandomNumbersTests {
    /// Computed by the algorithm's reference program for the start 1234567.
    @Test("SplitMix64 as published")
    func published() {
        let expected: [UInt64] = [
            6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423, 4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ]
        let numbers = expected.indices.map { RandomNumbers.mixed(1_234_567 &+ UInt64($0 + 1) &* RandomNumbers.step) }
        #expect(numbers == expected)
    }

    @Test("tasks at the same time get none twice, and no zero")
    func different() async {
        let numbers = await withTaskGroup(of: [UInt64].self) { group in
            for _ in 0..<4 { group.addTask { (0..<10_000).map { _ in RandomNumbers.next() } } }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(Set(numbers).count == 40_000 && !numbers.contains(0))
    }
}
