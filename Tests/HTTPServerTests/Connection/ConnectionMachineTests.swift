import Foundation
import OrchardHTTPTypes
import Testing

@testable import OrchardHTTPServer

/// The connection's states, told as stories: what comes in, what it wants done, what it says.
@Suite struct ConnectionMachineTests {
    private let begin = MonotonicTime.now

    private func at(_ seconds: Double) -> Moment {
        Moment(instant: begin + .seconds(seconds), date: HTTPDate(secondsSince1970: 0))
    }

    private func machine(_ limits: HTTPServerLimits = HTTPServerLimits()) -> ConnectionMachine {
        ConnectionMachine(limits: limits, at: at(0))
    }

    private let get = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
    private let ok = CheckedResponse(.text("ok"))

    private func text(_ machine: ConnectionMachine) -> String { String(decoding: machine.output, as: UTF8.self) }

    @Test func aRequestIsHandledAnsweredAndTheConnectionKept() throws {
        var machine = machine()
        #expect(machine.interest == .read)
        let request = try #require(machine.receive(get, at: at(1)).request)
        #expect(request.target == "/")
        #expect(machine.interest == .end, "nothing is read while a request is handled")
        #expect(machine.deadline == nil, "a handler may take its time")
        #expect(machine.answer(try #require(ok), at: at(2)) == .none)
        #expect(machine.interest == .write)
        #expect(text(machine).hasPrefix("HTTP/1.1 200 OK\r\n") && !text(machine).contains("Connection:"))
        #expect(machine.sent(5, at: at(3)) == .none)
        #expect(machine.sent(machine.output.count, at: at(3)) == .none)
        #expect(machine.interest == .read)
        #expect(machine.deadline == begin + .seconds(63))
    }

    @Test func aNewConnectionHasFiveSecondsForItsFirstByte() {
        var silent = machine()
        #expect(silent.expire(at: at(4.9)) == .none)
        #expect(silent.expire(at: at(5)) == .close)
        var begun = machine()
        _ = begun.receive(Array("GE".utf8), at: at(4.9))
        #expect(begun.expire(at: at(5)) == .none)
    }

    @Test(arguments: [
        ("Content-Length: 1000\r\n\r\n", ""), ("Transfer-Encoding: chunked\r\n\r\n3E8\r\n", "\r\n0\r\n\r\n"),
    ])
    func itTellsWhatItHoldsUntilTheAnswerIsTaken(_ begin: String, _ end: String) throws {
        var machine = machine()
        #expect(machine.heldBytes == 0)
        let pad = String(repeating: "a", count: 2_000)
        _ = machine.receive(Array("POST / HTTP/1.1\r\nHost: a\r\nX-Pad: \(pad)\r\n\(begin)".utf8), at: at(0))
        #expect((2_000..<2_100).contains(machine.heldBytes), "the head is kept while the body comes")
        _ = machine.receive([UInt8](repeating: 0, count: 600), at: at(0))
        #expect((2_600..<2_700).contains(machine.heldBytes) && machine.waiting == .rest)
        _ = machine.receive([UInt8](repeating: 0, count: 400) + Array(end.utf8), at: at(0))
        #expect((3_000..<3_100).contains(machine.heldBytes) && machine.waiting == .nothing)
        _ = machine.answer(try #require(ok), at: at(0))
        #expect(machine.heldBytes == machine.output.count)
        _ = machine.sent(machine.output.count, at: at(0))
        #expect(machine.heldBytes == 0 && machine.waiting == .request)
    }

    @Test func pipelinedRequestsAreHandledOneAfterTheOtherAndAnsweredTogether() throws {
        var machine = machine()
        #expect(machine.receive(get + get + Array("GE".utf8), at: at(0)).request != nil)
        #expect(machine.answer(try #require(ok), at: at(1)).request != nil, "the next one is given out at once")
        #expect(machine.interest == .write && machine.deadline == begin + .seconds(11))
        #expect(machine.answer(try #require(ok), at: at(5)) == .none)
        #expect(text(machine).components(separatedBy: "HTTP/1.1 200 OK").count == 3, "both answers in one write")
        #expect(machine.deadline == begin + .seconds(11), "with the time of the first")
        #expect(machine.waiting == .rest && machine.interest == .write, "nothing is read before the client takes them")
        #expect(machine.sent(machine.output.count, at: at(9)) == .none)
        #expect(machine.interest == .read && machine.deadline == begin + .seconds(14))
    }

    @Test func aRequestBehindAnAnswerThatNobodyTakesDoesNotExtendItsTime() throws {
        var machine = machine()
        _ = machine.receive(get + get, at: at(0))
        #expect(machine.answer(try #require(ok), at: at(0)).request != nil)
        #expect(machine.expire(at: at(9.9)) == .none)
        #expect(machine.expire(at: at(10)) == .close)
    }

    @Test func answersOfMoreThan64KiBAreSentBeforeTheNextRequestIsGivenOut() throws {
        var machine = machine()
        let large = try #require(CheckedResponse(HTTPResponse(status: .ok, body: [UInt8](repeating: 0, count: 65_536))))
        _ = machine.receive(get + get, at: at(0))
        #expect(machine.answer(large, at: at(0)) == .none)
        #expect(machine.sent(machine.output.count, at: at(0)).request != nil)
        #expect(machine.deadline == nil, "a handler may take its time")
    }

    @Test func theTimeOfAHandlerBeginsWhenTheAnswersBeforeItAreTaken() throws {
        var machine = machine()
        _ = machine.receive(get + get, at: at(0))
        _ = machine.answer(try #require(ok), at: at(0))
        #expect(machine.sent(machine.output.count, at: at(1)) == .none)
        #expect(machine.interest == .end && machine.deadline == nil && machine.waiting == .nothing)
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "Connection: close\r\n"),
        ("GET / HTTP/1.0\r\n\r\n", "Connection: close\r\n"),
        ("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "Connection: keep-alive\r\n"),
    ])
    func theAnswerSaysWhetherTheConnectionIsKept(_ request: String, _ field: String) throws {
        var machine = machine()
        _ = machine.receive(Array(request.utf8), at: at(0))
        _ = machine.answer(try #require(ok), at: at(0))
        #expect(text(machine).contains(field))
        let closes = field.contains("close")
        #expect(machine.sent(machine.output.count, at: at(0)) == (closes ? .shutdownWrite : .none))
    }

    @Test func afterTheLastAnswerInputIsDiscardedUntilThePeerClosesOrASecondIsOver() throws {
        var machine = machine()
        _ = machine.receive(Array("GET / HTTP/1.0\r\n\r\n".utf8), at: at(0))
        _ = machine.answer(try #require(ok), at: at(0))
        #expect(machine.sent(machine.output.count, at: at(5)) == .shutdownWrite)
        #expect(machine.receive(get, at: at(5)) == .none)
        #expect(machine.expire(at: at(5.9)) == .none)
        #expect(machine.expire(at: at(6)) == .close)
    }

    @Test func aRefusedRequestIsReportedAnsweredAndTheConnectionClosed() {
        var machine = machine()
        let action = machine.receive(Array("GET / HTTP/1.1\r\n\r\n".utf8), at: at(0))
        #expect(action.refusal?.status == .badRequest)
        #expect(text(machine).hasPrefix("HTTP/1.1 400 ") && text(machine).contains("application/problem+json"))
        #expect(machine.sent(machine.output.count, at: at(0)) == .shutdownWrite)
    }

    @Test func tooLargeABodyIsRefusedInsteadOfAskedFor() {
        var machine = machine()
        let head = "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: "
        _ = machine.receive(Array((head + "65537\r\n\r\n").utf8), at: at(0))
        #expect(text(machine).hasPrefix("HTTP/1.1 413 "))

        var other = self.machine()
        #expect(other.receive(Array((head + "65536\r\n\r\n").utf8), at: at(0)) == .none)
        #expect(text(other) == "HTTP/1.1 100 Continue\r\n\r\n")
        #expect(other.sent(other.output.count, at: at(0)) == .none)
        #expect(other.interest == .read)
    }

    @Test func aByteASecondDoesNotExtendTheTimeOfAHead() {
        var machine = machine()
        for second in 10..<15 {
            #expect(machine.receive([UInt8(ascii: "G")], at: at(Double(second))) == .none)
            #expect(machine.expire(at: at(Double(second) + 0.9)) == .none)
        }
        #expect(machine.expire(at: at(15)).refusal?.status == .requestTimeout)
        #expect(text(machine).hasPrefix("HTTP/1.1 408 "))
    }

    @Test func aBodyHasTenSecondsFromItsHead() {
        var machine = machine()
        _ = machine.receive(Array("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n".utf8), at: at(3))
        _ = machine.receive([1], at: at(12))
        #expect(machine.expire(at: at(12.9)) == .none)
        #expect(machine.expire(at: at(13)).refusal?.status == .requestTimeout)
    }

    @Test func anIdleConnectionIsClosedSilently() throws {
        var machine = machine()
        _ = machine.receive(get, at: at(0))
        _ = machine.answer(try #require(ok), at: at(0))
        _ = machine.sent(machine.output.count, at: at(0))
        #expect(machine.expire(at: at(59)) == .none)
        #expect(machine.expire(at: at(60)) == .close)
        #expect(machine.output.isEmpty)
    }

    @Test func whoDoesNotTakeTheAnswerIsCut() throws {
        var machine = machine()
        _ = machine.receive(get, at: at(0))
        _ = machine.answer(try #require(ok), at: at(100))
        _ = machine.sent(1, at: at(109))
        #expect(machine.expire(at: at(109.9)) == .none)
        #expect(machine.expire(at: at(110)) == .close)
    }

    @Test func drainingClosesIdleConnectionsAndEndsTheOthersAfterTheirAnswer() throws {
        var idle = machine()
        #expect(idle.drain() == .close)

        var busy = machine()
        _ = busy.receive(get, at: at(0))
        #expect(busy.drain() == .none)
        _ = busy.answer(try #require(ok), at: at(1))
        #expect(text(busy).contains("Connection: close\r\n"))

        var writing = machine()
        _ = writing.receive(get, at: at(0))
        _ = writing.answer(try #require(ok), at: at(1))
        _ = writing.sent(1, at: at(1))
        #expect(writing.drain() == .none)
        #expect(writing.sent(writing.output.count, at: at(2)) == .none, "the next request may be on its way")
        var next = writing
        #expect(next.receive(get, at: at(2)).request != nil)
        _ = next.answer(try #require(ok), at: at(2))
        #expect(text(next).contains("Connection: close\r\n"))
        #expect(writing.expire(at: at(3)) == .close, "nothing else would end it")

        var reading = machine()
        _ = reading.receive(Array("GET".utf8), at: at(0))
        #expect(reading.drain() == .none)
        #expect(reading.receive(Array(" / HTTP/1.0\r\n\r\n".utf8), at: at(1)).request != nil)
    }

    @Test func anAnswerThatNobodyWaitsForIsDropped() throws {
        var machine = machine()
        #expect(machine.answer(try #require(ok), at: at(0)) == .none)
        #expect(machine.output.isEmpty)
    }
}

extension ConnectionMachine.Action {
    fileprivate var request: HTTPRequest? {
        if case .handle(let request) = self { request } else { nil }
    }

    fileprivate var refusal: InvalidRequest? {
        if case .report(let refusal) = self { refusal } else { nil }
    }
}

extension ConnectionMachine {
    fileprivate mutating func receive(_ bytes: [UInt8], at moment: Moment) -> Action {
        receive(bytes.span, at: moment)
    }
}
