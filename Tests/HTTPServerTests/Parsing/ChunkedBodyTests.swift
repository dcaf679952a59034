import OrchardHTTPTypes
import Testing

@testable import OrchardHTTPServer

@Suite struct ChunkedBodyTests {
    private func decode(_ text: String, limit: Int = 100) throws -> (body: String, rest: String, isComplete: Bool) {
        var body = ChunkedBody(limit: limit)
        let bytes = Array(text.utf8)
        let count = try body.consume(bytes.span)
        return (
            String(decoding: body.content, as: UTF8.self), String(decoding: bytes[count...], as: UTF8.self),
            body.isComplete
        )
    }

    @Test(arguments: [
        ("0\r\n\r\n", ""), ("2\r\nab\r\n0\r\n\r\n", "ab"),
        ("A\r\n0123456789\r\n00000001\r\nx\r\n0\r\n\r\n", "0123456789x"),
        ("000\r\n\r\n", ""),
    ])
    func chunksAreJoined(_ text: String, _ expected: String) throws {
        let (body, rest, isComplete) = try decode(text + "GET")
        #expect(body == expected && rest == "GET" && isComplete)
    }

    @Test(arguments: [
        "\r\n", " 2\r\nab", "2 \r\nab", "0x2\r\nab", "+2\r\nab", "-2\r\nab", "2;a\r\nab", "2\nab", "2\r\r\nab",
        "000000002\r\nab", "2\r\nab0\r\n", "2\r\nab\n", "2\r\nab\rx", "0\r\nX: y\r\n\r\n", "0\r\n\n", "g\r\n",
    ])
    func anythingButSizeDataAndCRLFIsRefused(_ text: String) {
        #expect { try decode(text) } throws: { ($0 as? InvalidRequest)?.status == .badRequest }
    }

    @Test func tooMuchIsRefusedAtTheSizeBeforeTheData() throws {
        #expect(try decode("4\r\nabcd\r\n0\r\n\r\n", limit: 4).isComplete)
        #expect { try decode("5\r\n", limit: 4) } throws: { ($0 as? InvalidRequest)?.status == .contentTooLarge }
        #expect { try decode("3\r\nabc\r\n2\r\n", limit: 4) } throws: {
            ($0 as? InvalidRequest)?.status == .contentTooLarge
        }
        #expect { try decode("ffffffff\r\n", limit: 4) } throws: { ($0 as? InvalidRequest)?.status == .contentTooLarge }
    }
}
