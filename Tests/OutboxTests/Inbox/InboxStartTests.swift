import Testing

@testable import Outbox

@Suite("Where a partition begins")
struct InboxStartTests {
    private static let here = DatabaseServer(identifier: 1, timeline: "00000001", objects: "5/6")

    private static func situation(
        next: Int64?, log: Range<Int64> = 0..<100, committed: Int64? = nil, cluster: String = "A",
        server: DatabaseServer = here, mark: Int64 = 0, isLastThere: Bool? = nil
    ) -> InboxStart.Situation {
        InboxStart.Situation(
            topic: "facts", partition: 3,
            watermark: next.map { Watermark(nextOffset: $0, count: $0, clusterID: "A", server: here, mark: mark) },
            low: log.lowerBound, high: log.upperBound, committed: committed, clusterID: cluster, server: server,
            isLastThere: isLastThere)
    }

    struct Begin: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let situation: InboxStart.Situation
        var accept = false
        let start: InboxStart
    }

    @Test(arguments: [
        Begin(testDescription: "new", situation: situation(next: nil), start: InboxStart(offset: 0, loss: nil)),
        Begin(
            testDescription: "new, empty log", situation: situation(next: nil, log: 0..<0),
            start: InboxStart(offset: 0, loss: nil)),
        Begin(
            testDescription: "continues after the last processed record",
            situation: situation(next: 42, isLastThere: true), start: InboxStart(offset: 42, loss: nil)),
        Begin(testDescription: "goes on", situation: situation(next: 42), start: InboxStart(offset: 42, loss: nil)),
        Begin(
            testDescription: "committed after the watermark was written", situation: situation(next: 42, committed: 42),
            start: InboxStart(offset: 42, loss: nil)),
        Begin(
            testDescription: "behind what was committed before a recovery",
            situation: situation(next: 3, committed: 9, mark: 9), start: InboxStart(offset: 3, loss: nil)),
        Begin(
            testDescription: "at the end", situation: situation(next: 100), start: InboxStart(offset: 100, loss: nil)),
        Begin(
            testDescription: "a log that begins later, accepted", situation: situation(next: nil, log: 7..<100),
            accept: true, start: InboxStart(offset: 7, loss: 0..<7)),
        Begin(
            testDescription: "retention overtook the reader", situation: situation(next: 4, log: 7..<100),
            start: InboxStart(offset: 7, loss: 4..<7)),
    ])
    func starts(_ given: Begin) throws {
        #expect(try InboxStart.decide(given.situation, acceptLogStart: given.accept) == given.start)
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let situation: InboxStart.Situation
        let code: InboxError.Code
        let text: String
    }

    @Test(arguments: [
        Refusal(
            testDescription: "a log that begins later", situation: situation(next: nil, log: 7..<100),
            code: .logDoesNotBegin, text: "inbox.accept-log-start"),
        Refusal(
            testDescription: "a new database for an old group", situation: situation(next: nil, committed: 42),
            code: .watermarkBehind, text: "recover"),
        Refusal(
            testDescription: "a restored database", situation: situation(next: 41, committed: 42),
            code: .watermarkBehind, text: "recover"),
        Refusal(
            testDescription: "another cluster", situation: situation(next: 41, cluster: "B"), code: .clusterChanged,
            text: "recover"),
        Refusal(
            testDescription: "a promoted standby",
            situation: situation(next: 41, server: DatabaseServer(identifier: 1, timeline: "00000002", objects: "5/6")),
            code: .promoted, text: "brought up to the log"),
        Refusal(
            testDescription: "a promoted standby that has lost what the group committed",
            situation: situation(
                next: 41, committed: 60, server: DatabaseServer(identifier: 1, timeline: "00000002", objects: "5/6")),
            code: .promoted, text: "brought up to the log"),
        Refusal(
            testDescription: "another server",
            situation: situation(
                next: 41, server: DatabaseServer(identifier: 2, timeline: "00000001", objects: "5/6")),
            code: .databaseChanged, text: "recover --restored"),
        Refusal(
            testDescription: "a dump restored on the same server",
            situation: situation(
                next: 41, server: DatabaseServer(identifier: 1, timeline: "00000001", objects: "7/8")),
            code: .databaseChanged, text: "a dump was restored"),
        Refusal(
            testDescription: "a dump restored on a promoted standby",
            situation: situation(
                next: 41, server: DatabaseServer(identifier: 1, timeline: "00000002", objects: "7/8")),
            code: .databaseChanged, text: "a dump was restored"),
        Refusal(
            testDescription: "a log that lost its end", situation: situation(next: 101), code: .logBehind,
            text: "recover --restored"),
        Refusal(
            testDescription: "a recreated log that is longer than the watermark",
            situation: situation(next: 41, isLastThere: false), code: .logBehind, text: "was recreated"),
    ])
    func refuses(_ given: Refusal) {
        #expect {
            _ = try InboxStart.decide(given.situation, acceptLogStart: false)
        } throws: { error in
            guard let error = error as? InboxError else { return false }
            return error.code == given.code && error.reason.contains(given.text) && error.partition == 3
        }
    }
}
