import Contracts
import Testing

@testable import Ledger

@Suite("Gaps in the producers' numbers")
struct SequenceGapsTests {
    private func gaps(_ numbers: [(String, Int64)]) -> SequenceGaps {
        var gaps = SequenceGaps()
        for (index, number) in numbers.enumerated() {
            gaps.note(
                .init(stream: number.0, sequence: number.1), at: JournalPosition(partition: 0, offset: Int64(index)))
        }
        return gaps
    }

    @Test("Each stream counts by itself, from 1; a repeated number is none")
    func whole() {
        let gaps = gaps([("a", 1), ("b", 1), ("a", 2), ("a", 2), ("b", 2), ("a", 1), ("a", 3)])
        #expect(gaps.gaps.isEmpty)
        #expect(gaps.streams == 2)
        #expect(gaps.numbered == 7)
    }

    @Test("What is missing is named, with the record behind it")
    func missing() {
        let gaps = gaps([("a", 2), ("a", 3), ("a", 7)])
        #expect(gaps.gaps.map(\.missing) == [1...1, 4...6])
        #expect(gaps.gaps.map(\.before.offset) == [0, 2])
    }
}
