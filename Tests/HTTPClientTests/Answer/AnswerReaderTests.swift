import OrchardHTTPTypes
import Testing

@testable import OrchardHTTPClient

@Suite struct AnswerReaderTests {
    private func read(_ lines: [String], body: String = "", isHead: Bool = false) throws(HTTPFailure) -> HTTPAnswer {
        var reader = AnswerReader(maximumHead: 200, maximumBody: 10, isHead: isHead)
        for line in lines where !reader.receive(line: Array(line.utf8)) { break }
        if !body.isEmpty { _ = reader.receive(body: Array(body.utf8)) }
        return try reader.finish()
    }

    @Test func aHeadAndItsBodyAreAnAnswer() throws {
        let answer = try read(
            ["HTTP/1.1 404 Not Found\r\n", "X-A:\t b \r\n", "content-length: 2\r\n", "\r\n"], body: "{}")
        #expect(answer.response.status == .notFound)
        #expect(answer.response.fields["x-a"] == "b")
        #expect(answer.response.body == Array("{}".utf8) && !answer.isCloseDelimited)
    }

    @Test func theAnswerToHeadHasALengthAndNoBody() throws {
        let answer = try read(["HTTP/1.1 200 OK\r\n", "Content-Length: 5\r\n", "\r\n"], isHead: true)
        #expect(answer.response.body.isEmpty && !answer.isCloseDelimited)
    }

    @Test func trailersMeanNothing() throws {
        let head = ["HTTP/1.1 200 OK\r\n", "Transfer-Encoding: chunked\r\n", "\r\n"]
        #expect(try read(head + ["Content-Length: 9\r\n", "\r\n"]).response.fields["Content-Length"] == nil)
    }

    @Test(arguments: [
        ["HTTP/1.1 20 OK\r\n"], ["HTTP/1.1 2000 OK\r\n"], ["HTTP/1.1 ２00 OK\r\n"], ["HTTP/1.1 099 X\r\n"],
        ["HTTP/1.1 600 X\r\n"], ["HTTP/1.1 101 X\r\n"], ["HTTP/1.2 200 OK\r\n"], ["HTTP/2 200\r\n"],
        ["http/1.1 200 OK\r\n"], ["HTTP/1.1  200 OK\r\n"], ["HTTP/1.1 200 OK\n"], ["\r\n"],
        ["HTTP/1.1 200 OK\r\n", "X\r\n"], ["HTTP/1.1 200 OK\r\n", ": y\r\n"], ["HTTP/1.1 200 OK\r\n", "X : y\r\n"],
        ["HTTP/1.1 200 OK\r\n", " X: y\r\n"], ["HTTP/1.1 200 OK\r\n", "X: a\0b\r\n"],
        ["HTTP/1.1 200 OK\r\n", "Content-Length: -1\r\n", "\r\n"],
        ["HTTP/1.1 200 OK\r\n", "Content-Length: 0\r\n", "Content-Length: 0\r\n", "\r\n"],
        ["HTTP/1.1 200 OK\r\n", "Content-Length: 1234567890123\r\n", "\r\n"],
        ["HTTP/1.1 200 OK\r\n", "Transfer-Encoding: gzip, chunked\r\n", "\r\n"],
        ["HTTP/1.1 200 OK\r\n", "Transfer-Encoding: chunked\r\n", "Content-Length: 0\r\n", "\r\n"],
    ])
    func whatIsNoAnswerOfHTTP11IsMalformed(_ lines: [String]) {
        #expect { try read(lines) } throws: { ($0 as? HTTPFailure)?.code == .malformedAnswer }
    }

    @Test(arguments: [
        [], ["HTTP/1.1 200 OK\r\n"], ["HTTP/1.1 200 OK\r\n", "Content-Length: 0\r\n"],
        ["HTTP/1.1 100 Continue\r\n", "\r\n"], ["HTTP/1.1 200 OK\r\n", "Content-Length: 1\r\n", "\r\n"],
    ])
    func whatStopsEarlyIsLost(_ lines: [String]) {
        #expect { try read(lines) } throws: { ($0 as? HTTPFailure)?.code == .connectionLost }
    }

    @Test func thereAreLimits() {
        let head = ["HTTP/1.1 200 OK\r\n", "X: " + String(repeating: "x", count: 200) + "\r\n", "\r\n"]
        #expect { try read(head) } throws: { ($0 as? HTTPFailure)?.code == .answerTooLarge }
        let body = String(repeating: "x", count: 11)
        #expect { try read(["HTTP/1.1 200 OK\r\n", "\r\n"], body: body) } throws: {
            ($0 as? HTTPFailure)?.code == .answerTooLarge
        }
    }
}
