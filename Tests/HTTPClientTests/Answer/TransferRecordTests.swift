import OrchardHTTPTypes
import Testing

@testable import OrchardHTTPClient

/// The rule that decides whether a request may be sent again.
@Suite struct TransferRecordTests {
    private let failure = HTTPFailure(.connect, "couldn't connect")

    private func record(answer lines: [String] = []) -> TransferRecord {
        var reader = AnswerReader(maximumHead: 1000, maximumBody: 1000, isHead: false)
        for line in lines { _ = reader.receive(line: Array(line.utf8)) }
        return TransferRecord(reader: reader)
    }

    @Test func whatWasNeverReadyToSendIsNotSent() {
        #expect(record().outcome(failure: failure, bytesSent: 0) == .notSent(failure))
    }

    @Test func whatGaveNoByteToTheSocketIsNotSent() {
        var record = record()
        #expect(record.allowSend(bytesSent: 0, hasUnreadInput: false) == true)
        #expect(record.outcome(failure: failure, bytesSent: 0) == .notSent(failure))
    }

    @Test func anyByteWithoutAnswerIsUnknownWhateverTheTransportSays() {
        var record = record()
        #expect(record.allowSend(bytesSent: 0, hasUnreadInput: false) == true)
        #expect(record.outcome(failure: failure, bytesSent: 1) == .unknown(failure))
    }

    @Test func aSecondTryIsAllowedOnlyWhileNothingWasSent() {
        var fresh = record()
        #expect(fresh.allowSend(bytesSent: 0, hasUnreadInput: false) == true)
        #expect(fresh.allowSend(bytesSent: 0, hasUnreadInput: false) == true)
        #expect(fresh.allowSend(bytesSent: 1, hasUnreadInput: false) == false)
        guard case .unknown(let why) = fresh.outcome(failure: failure, bytesSent: 1) else {
            Issue.record("a byte was sent")
            return
        }
        #expect(why.code == .resendRefused)
    }

    @Test func waitingInputForbidsTheSendAndNothingWasSent() {
        var record = record()
        #expect(record.allowSend(bytesSent: 0, hasUnreadInput: true) == false)
        #expect(record.metStrayInput)
        guard case .notSent(let why) = record.outcome(failure: failure, bytesSent: 0) else {
            Issue.record("nothing was sent")
            return
        }
        #expect(why.code == .strayInput)
    }

    @Test func aWholeAnswerIsAnswered() {
        var record = record(answer: ["HTTP/1.1 204 No Content\r\n", "\r\n"])
        #expect(record.allowSend(bytesSent: 0, hasUnreadInput: false) == true)
        #expect(
            record.outcome(failure: nil, bytesSent: 10)
                == .answered(HTTPAnswer(response: HTTPResponse(status: .noContent))))
    }

    @Test func anAnswerToWhatWasNeverSentIsNone() {
        let record = record(answer: ["HTTP/1.1 204 No Content\r\n", "\r\n"])
        #expect(record.outcome(failure: nil, bytesSent: 0).report == "notSent")
    }
}
