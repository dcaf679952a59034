import KafkaBridge
import Testing

@testable import Outbox

@Suite("Whether a relay may publish")
struct StreamCheckTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let head: StreamHead?
        let newest: Int64?
        let permitted: Bool
    }

    /// The log holds the offsets 0 to 99.
    @Test(arguments: [
        Case(testDescription: "both begin", head: nil, newest: nil, permitted: true),
        Case(testDescription: "the log is ahead of an empty database", head: nil, newest: 1, permitted: false),
        Case(testDescription: "both agree", head: StreamHead(sequence: 5, offset: 99), newest: nil, permitted: true),
        Case(
            testDescription: "numbered, sent, not marked", head: StreamHead(sequence: 7, offset: 60), newest: 7,
            permitted: true),
        Case(
            testDescription: "numbered, not sent", head: StreamHead(sequence: 7, offset: 60), newest: nil,
            permitted: true),
        Case(
            testDescription: "restored database", head: StreamHead(sequence: 5, offset: 60), newest: 6, permitted: false
        ),
        Case(
            testDescription: "shortened log", head: StreamHead(sequence: 5, offset: 100), newest: nil, permitted: false),
    ])
    func follows(_ given: Case) {
        let isPermitted: Bool
        do throws(StreamCheck.Refusal) {
            try StreamCheck.permit(
                TopicPartition("facts", 0), head: given.head, log: Watermarks(low: 0, high: 100), newest: given.newest,
                recover: "shop recover --restored")
            isPermitted = true
        } catch {
            #expect(error.reason.contains("`shop recover --restored`"))
            isPermitted = false
        }
        #expect(isPermitted == given.permitted)
    }

    @Test(arguments: [(nil, 30), (20, 30), (40, 41)] as [(Int64?, Int64)])
    func looksBehindTheNewestRecordItKnows(_ offset: Int64?, _ first: Int64) {
        let head = StreamHead(sequence: 5, offset: offset)
        #expect(StreamCheck.firstUnknown(head: head, log: Watermarks(low: 30, high: 100)) == first)
    }
}
