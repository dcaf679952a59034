import OrchardHTTPTypes
import Testing

@testable import OrchardHTTPServer

@Suite struct RequestParserTests {
    private static let limits: HTTPServerLimits = {
        var limits = HTTPServerLimits()
        limits.headBytes = 400
        limits.targetBytes = 50
        limits.fieldCount = 5
        limits.bodyBytes = 20
        return limits
    }()

    /// Every request in the text, fed in pieces of `size` bytes.
    private static func parse(_ text: String, size: Int = .max) throws(InvalidRequest) -> [RequestParser.Message] {
        var parser = RequestParser(limits: limits)
        var messages: [RequestParser.Message] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let piece = rest.prefix(size)
            var progress = try parser.receive(piece.span)
            rest = rest.dropFirst(size)
            loop: while true {
                switch progress {
                case .complete(let message): messages.append(message)
                case .continueExpected: break
                case .empty, .partialHead, .partialBody: break loop
                }
                progress = try parser.next()
            }
        }
        return messages
    }

    private static let accepted: [(String, [String])] = [
        ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", ["GET / "]),
        ("GET /a?b=%20#".dropLast() + " HTTP/1.1\r\nHost: a:80\r\nX: \t y z \r\nEmpty:\r\n\r\n", ["GET /a?b=%20 "]),
        ("GET / HTTP/1.0\r\n\r\n", ["GET / "]),
        ("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", ["GET / "]),
        ("BREW /pot HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n", ["BREW /pot "]),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc", ["POST / abc"]),
        (
            "POST / HTTP/1.1\r\nHost: a\r\ncontent-LENGTH: 0020\r\n\r\n" + String(repeating: "x", count: 20),
            ["POST / " + String(repeating: "x", count: 20)]
        ),
        (
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n",
            ["POST / abc"]
        ),
        (
            "POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\nGET /3 HTTP/1.1\r\nHost: a\r\n\r\n",
            ["POST /1 ab", "GET /2 ", "GET /3 "]
        ),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nExpect: 100-Continue\r\n\r\nx", ["POST / x"]),
        ("GET / HTTP/1.1\r\nHost: a\r\nX: 中\r\n\r\n", ["GET / "]),
    ]

    @Test(arguments: accepted)
    func requestsAreReadHoweverTheyAreCut(_ text: String, _ expected: [String]) throws {
        for size in [1, 2, 3, 7, Int.max] {
            let found = try Self.parse(text, size: size).map {
                "\($0.request.method) \($0.request.target) \(String(decoding: $0.request.body, as: UTF8.self))"
            }
            #expect(found == expected, "in pieces of \(size)")
        }
    }

    private static func get(_ fields: String...) -> String {
        (["GET / HTTP/1.1", "Host: a"] + fields + ["", ""]).joined(separator: "\r\n")
    }

    private static let refused: [(Int, String)] = [
        (400, "GET / HTTP/1.1\nHost: a\n\n"),
        (400, "GET / HTTP/1.1\r\nHost: a\n\r\n"),
        (400, "\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"),
        (400, "\n"),
        (400, "\u{16}\u{3}\u{1}"),
        (400, "GET\r\n\r\n"),
        (400, "GET /\r\n\r\n"),
        (400, "GET  / HTTP/1.1\r\n\r\n"),
        (400, "GET\t/ HTTP/1.1\r\n\r\n"),
        (400, "GET / HTTP/1.1 \r\n\r\n"),
        (400, "GET /a b HTTP/1.1\r\n\r\n"),
        (400, "GET /a#b HTTP/1.1\r\n\r\n"),
        (400, "GET /é HTTP/1.1\r\n\r\n"),
        (400, "GET * HTTP/1.1\r\n\r\n"),
        (400, "GET http://a/ HTTP/1.1\r\n\r\n"),
        (400, "G(T / HTTP/1.1\r\n\r\n"),
        (400, "GET / http/1.1\r\n\r\n"),
        (400, "GET / HTTP/1.10\r\n\r\n"),
        (400, "GET / HTTP/1.\r\n\r\n"),
        (505, "GET / HTTP/1.2\r\nHost: a\r\n\r\n"),
        (505, "PRI / HTTP/2.0\r\n\r\n"),
        (400, "GET / HTTP/1.1\r\n\r\n"),
        (400, get("Host: a")),
        (400, "GET / HTTP/1.1\r\nHost: a b\r\n\r\n"),
        (400, "GET / HTTP/1.1\r\nHost:\r\n\r\n"),
        (400, get("X")),
        (400, get(": y")),
        (400, get("X : y")),
        (400, get("X: y", " z")),
        (400, get("X(): y")),
        (400, get("X: a\0b")),
        (400, get("X: a\u{1}b")),
        (400, get("X: a\u{7F}b")),
        (400, get("X: a\rb")),
        (400, get("X: a\r")),
        (400, get("Content-Length: 1", "Content-Length: 1")),
        (400, get("Content-Length: 1, 1")),
        (400, get("Content-Length:")),
        (400, get("Content-Length: +1")),
        (400, get("Content-Length: -1")),
        (400, get("Content-Length: 0x1")),
        (400, get("Content-Length: 1 1")),
        (400, get("Content-Length: 1234567890123")),
        (413, get("Content-Length: 21")),
        (413, get("Content-Length: 999999999999")),
        (413, get("Content-Length: 21", "Expect: 100-continue")),
        (400, get("Content-Length: 1", "Transfer-Encoding: chunked")),
        (400, get("Transfer-Encoding: chunked", "Content-Length: 1")),
        (400, get("Transfer-Encoding: chunked", "Transfer-Encoding: chunked")),
        (501, get("Transfer-Encoding: gzip, chunked")),
        (501, get("Transfer-Encoding: identity")),
        (501, get("Transfer-Encoding: xchunked")),
        (400, "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"),
        (417, get("Expect: x")),
        (414, "GET /" + String(repeating: "a", count: 50) + " HTTP/1.1\r\nHost: a\r\n\r\n"),
        (414, String(repeating: "A", count: 401)),
        (431, get("1: a", "2: a", "3: a", "4: a", "5: a")),
        (431, get("X: " + String(repeating: "a", count: 400))),
        (431, "GET / HTTP/1.1\r\nX: " + String(repeating: "a", count: 400)),
    ]

    @Test(arguments: refused)
    func whatTwoReadersCouldReadDifferentlyIsRefused(_ status: Int, _ text: String) {
        for size in [1, 5, Int.max] {
            #expect(throws: InvalidRequest.self, "in pieces of \(size)") { try Self.parse(text, size: size) }
            #expect { try Self.parse(text, size: size) } throws: { ($0 as? InvalidRequest)?.status.code == status }
        }
    }

    @Test(arguments: [
        ("HTTP/1.1\r\nHost: a\r\n", true), ("HTTP/1.1\r\nHost: a\r\nConnection: x, CLOSE\r\n", false),
        ("HTTP/1.0\r\n", false), ("HTTP/1.0\r\nConnection: Keep-Alive\r\n", true),
        ("HTTP/1.0\r\nConnection: keep-alive, close\r\n", false),
    ])
    func theHeadSaysWhetherTheConnectionIsKept(_ rest: String, _ keepsAlive: Bool) throws {
        let message = try #require(try Self.parse("GET / \(rest)\r\n").first)
        #expect(message.keepsAlive == keepsAlive)
        #expect(message.isHTTP10 == rest.hasPrefix("HTTP/1.0"))
    }

    @Test func fieldsKeepTheirOrderAndLoseTheBlanksAround() throws {
        let fields = try #require(try Self.parse(Self.get("B: \t2 ", "a:1", "b:")).first).request.fields
        #expect(fields.map(\.name) == ["Host", "B", "a", "b"])
        #expect(fields.map(\.value) == ["a", "2", "1", ""])
    }

    @Test func theClientIsAskedForItsBodyOnceAndOnlyWhenNoneCame() throws {
        var parser = RequestParser(limits: Self.limits)
        parser.append(
            Array("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\n".utf8).span)
        #expect(try parser.next() == .continueExpected)
        #expect(try parser.next() == .partialBody)
        parser.append(Array("x".utf8).span)
        let message = try #require(try parser.next().message)
        #expect(message.request.body == Array("x".utf8))
        #expect(try parser.next() == .empty)

        parser.append(
            Array("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nExpect: 100-continue\r\n\r\n".utf8).span)
        #expect(try parser.next().message != nil, "no body, no question")
    }
}

extension RequestParser.Progress {
    fileprivate var message: RequestParser.Message? {
        if case .complete(let message) = self { message } else { nil }
    }
}
