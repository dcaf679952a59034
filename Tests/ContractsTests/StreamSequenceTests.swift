import Contracts
import Testing

@Suite("Numbers of a stream")
struct StreamSequenceTests {
    typealias Verdict = StreamSequence.Verdict

    @Test(
        arguments: [
            ([1, 2, 3], [.next, .next, .next]),
            ([1, 1, 2, 1], [.next, .duplicate, .next, .duplicate]),
            ([3], [.gap(1...2)]),
            ([1, 5, 6], [.next, .gap(2...4), .next]),
            ([1, 5, 3, 3, 2, 4], [.next, .gap(2...4), .late, .duplicate, .late, .late]),
            ([1, 4, 8, 6], [.next, .gap(2...3), .gap(5...7), .late]),
            ([.max, .max, .min], [.gap(1...Int64.max - 1), .duplicate, .duplicate]),
        ] as [([Int64], [Verdict])])
    func tellLossFromRepetition(_ numbers: [Int64], _ verdicts: [Verdict]) {
        var sequence = StreamSequence()
        let received = numbers.map { sequence.receive($0) }
        #expect(received == verdicts)
    }

    @Test func rememberWhatIsStillMissing() {
        var sequence = StreamSequence(after: 10)
        for number in [15, 12, 17] as [Int64] { _ = sequence.receive(number) }
        #expect(sequence.missing == [11...11, 13...14, 16...16])
        #expect(sequence.last == 17)
    }
}
