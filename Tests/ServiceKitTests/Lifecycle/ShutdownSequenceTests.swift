import Testing

@testable import OrchardServiceKit

@Suite("The order in which services stop")
struct ShutdownSequenceTests {
    typealias Input = ShutdownSequence.Input
    typealias Action = ShutdownSequence.Action

    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let steps: [(Input, [Action])]
        var fault: ShutdownSequence.Fault?
    }

    static let cases = [
        Case(
            testDescription: "a request to stop: the last first, then one after the other",
            steps: [
                (.stopAsked, [.startDeadline, .requestStop(2)]),
                (.finished(2, failed: false), [.requestStop(1)]),
                (.finished(1, failed: false), [.requestStop(0)]),
                (.finished(0, failed: false), [.end]),
            ]),
        Case(
            testDescription: "one that already ended is not stopped",
            steps: [
                (.stopAsked, [.startDeadline, .requestStop(2)]),
                (.finished(1, failed: false), []),
                (.finished(2, failed: false), [.requestStop(0)]),
                (.finished(0, failed: false), [.end]),
            ]),
        Case(
            testDescription: "one that fails stops the others and is the fault",
            steps: [
                (.finished(1, failed: true), [.startDeadline, .requestStop(2)]),
                (.finished(2, failed: false), [.requestStop(0)]),
                (.finished(0, failed: true), [.end]),
            ], fault: .failed(1)),
        Case(
            testDescription: "one that returns without a request stops the others and is the fault",
            steps: [
                (.finished(2, failed: false), [.startDeadline, .requestStop(1)]),
                (.finished(1, failed: false), [.requestStop(0)]),
                (.finished(0, failed: false), [.end]),
            ], fault: .returnedEarly(2)),
        Case(
            testDescription: "one that fails while stopping is the fault",
            steps: [
                (.stopAsked, [.startDeadline, .requestStop(2)]),
                (.finished(2, failed: true), [.requestStop(1)]),
                (.finished(1, failed: false), [.requestStop(0)]),
                (.finished(0, failed: false), [.end]),
            ], fault: .failed(2)),
        Case(
            testDescription: "too long: all are cancelled, the slow ones are named, then the end",
            steps: [
                (.stopAsked, [.startDeadline, .requestStop(2)]),
                (.finished(1, failed: false), []),
                (.deadlinePassed, [.cancelAll]),
                (.finished(0, failed: true), []),
                (.finished(2, failed: true), [.end]),
            ], fault: .tookTooLong([0, 2])),
        Case(
            testDescription: "two requests: cancelled at once, no fault",
            steps: [
                (.stopAsked, [.startDeadline, .requestStop(2)]),
                (.stopAsked, [.cancelAll]),
                (.stopAsked, []),
                (.deadlinePassed, []),
                (.finished(2, failed: true), []),
                (.finished(1, failed: true), []),
                (.finished(0, failed: true), [.end]),
            ]),
        Case(testDescription: "a deadline without a shutdown", steps: [(.deadlinePassed, [])]),
    ]

    @Test(arguments: cases)
    func sequence(_ example: Case) {
        var sequence = ShutdownSequence(count: 3)
        for (input, actions) in example.steps { #expect(sequence.receive(input) == actions, "\(input)") }
        #expect(sequence.fault == example.fault)
    }
}
