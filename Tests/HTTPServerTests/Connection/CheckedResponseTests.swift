import OrchardHTTPTypes
import Testing

@testable import OrchardHTTPServer

@Suite struct CheckedResponseTests {
    private func text(
        _ response: HTTPResponse, requestID: String? = nil, connection: StaticString? = nil, withoutBody: Bool = false
    ) throws -> String {
        let checked = try #require(CheckedResponse(response, requestID: requestID.map(RequestID.given)))
        var bytes: [UInt8] = []
        checked.write(
            to: &bytes, date: HTTPDate(secondsSince1970: 0), connection: connection, withoutBody: withoutBody)
        return String(decoding: bytes, as: UTF8.self)
    }

    private let head = "HTTP/1.1 200 OK\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\n"

    @Test func theServerWritesLengthDateAndConnectionItself() throws {
        let response = HTTPResponse(
            status: .ok,
            fields: [
                "X-A": "b", "content-length": "99", "Transfer-Encoding": "chunked", "Connection": "x", "date": "y",
            ],
            body: Array("hi".utf8))
        #expect(try text(response) == head + "X-A: b\r\nContent-Length: 2\r\n\r\nhi")
        #expect(
            try text(response, connection: "close")
                == head + "Connection: close\r\nX-A: b\r\nContent-Length: 2\r\n\r\nhi")
    }

    @Test func theRequestsOwnNameTakesThePlaceOfTheHandlers() throws {
        let response = HTTPResponse(status: .noContent, fields: ["x-request-id": "a", "X-Request-Ix": "b"])
        #expect(try text(response).hasSuffix("\r\nx-request-id: a\r\nX-Request-Ix: b\r\n\r\n"))
        #expect(try text(response, requestID: "r").hasSuffix("GMT\r\nX-Request-Ix: b\r\nX-Request-Id: r\r\n\r\n"))
    }

    @Test func theAnswerToHeadTellsTheLengthAndSendsNoBody() throws {
        #expect(
            try text(HTTPResponse(status: .ok, body: [1, 2, 3]), withoutBody: true) == head
                + "Content-Length: 3\r\n\r\n")
    }

    @Test func noContentHasNeitherLengthNorBody() throws {
        let text = try text(HTTPResponse(status: .noContent, body: [1]))
        #expect(text.hasPrefix("HTTP/1.1 204 No Content\r\n") && text.hasSuffix("GMT\r\n\r\n"))
    }

    @Test(arguments: [
        ("X-A", "a\r\nSet-Cookie: b"), ("X-A", "a\n"), ("X-A", "a\0"), ("X A", "b"), ("X:A", "b"), ("", "b"),
        ("X\r\n", "b"),
    ])
    func aFieldThatCouldEndTheHeadIsRefused(_ name: String, _ value: String) {
        #expect(CheckedResponse(HTTPResponse(status: .ok, fields: [name: value])) == nil)
    }
}
