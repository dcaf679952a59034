import Contracts
import Testing

@testable import Ledger

@Suite("Gaps in the producers' numbers")
struct SequenceGapsTests {
    private func gaps(_ numbers: [(String, Int64)]) -> SequenceGaps {
        var gaps = SequenceGaps()
        for (index, number) in numbers.enumerated() {
            gaps.add(
                .init(stream: number.0, sequence: number.1), at: JournalPosition(partition: 0, offset: Int64(index)))
        }
        return gaps
    }

    @Test("Each stream is counted separately, from 1")
    func whole() {
        let gaps = gaps([("a", 1), ("b", 1), ("a", 2), ("b", 2), ("a", 3)])
        #expect(gaps.gaps.isEmpty && gaps.repetitions.isEmpty)
        #expect(gaps.streams == 2)
        #expect(gaps.numbered == 5)
    }

    @Test("A missing number is reported with the record after it; a late number is not missing")
    func missing() {
        let gaps = gaps([("a", 2), ("a", 3), ("a", 7), ("a", 5)])
        #expect(gaps.gaps.map(\.missing) == [1...1, 4...4, 6...6])
        #expect(gaps.gaps.map(\.before.offset) == [0, 2, 2])
        #expect(gaps.repetitions.isEmpty)
    }

    @Test("A number that two facts have is reported; a refused fact that is published again is not")
    func repeated() {
        var gaps = gaps([("a", 1), ("a", 2), ("b", 1), ("a", 1)])
        gaps.add(.init(stream: "b", sequence: 1), at: JournalPosition(partition: 0, offset: 4), isTaken: false)
        #expect(gaps.gaps.isEmpty)
        #expect(gaps.repetitions.map(\.position.offset) == [3])
        #expect(gaps.repetitions.map(\.number.sequence) == [1])
    }

    @Test("The largest number is checked, too")
    func extremes() {
        let gaps = gaps([("a", .max), ("a", .min), ("a", .max)])
        #expect(gaps.gaps.map(\.missing) == [1...Int64.max - 1])
        #expect(gaps.repetitions.count == 2)
    }
}
