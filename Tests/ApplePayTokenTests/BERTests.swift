import OrchardCrypto
import Testing

@testable import ApplePayToken

@Suite("BER without copies")
struct BERTests {
    @Test(
        "definite and indefinite lengths",
        arguments: [
            ("3000", "", true), ("3003020107", "020107", true), ("308103020107", "020107", false),
            ("3080 020107 0000", "020107", false), ("3080 3080 020107 0000 0000", "3080 020107 0000", false),
            ("3080 0000", "", false), ("30820003 020107", "020107", false),
        ])
    func elements(_ bytes: String, _ content: String, _ isDER: Bool) throws {
        let bytes = try #require(Hex.decode(bytes.filter { $0 != " " }))
        var cursor = BERCursor(bytes)
        let element = try cursor.next()
        #expect(cursor.isAtEnd)
        #expect(Array(element.value) == Hex.decode(content.filter { $0 != " " }))
        #expect(Array(element.encoding) == bytes)
        #expect(element.hasDERLength == isDER)
    }

    @Test(
        "what does not end, or ends wrongly, is refused",
        arguments: [
            "", "30", "3001", "3080", "3080 020107", "3080 020107 00", "3080 020107 0001", "0480 0401 00 0000",
            "1F8101 00", "0000",
            "3085 0000000001 00", "3084 7FFFFFFF", "30FF", "3003 0201", "3080 3080 0000",
        ])
    func refusals(_ bytes: String) throws {
        let bytes = try #require(Hex.decode(bytes.filter { $0 != " " }))
        #expect(throws: InvalidToken.self) {
            var cursor = BERCursor(bytes)
            let element = try cursor.next()
            var inner = element.children
            while !inner.isAtEnd { _ = try inner.next() }
        }
    }

    @Test("nesting is limited before the stack overflows")
    func depth() {
        let deep = (0..<20_000).flatMap { _ in [0x30, 0x80] as [UInt8] }
        #expect(throws: InvalidToken.self) {
            var cursor = BERCursor(deep + [UInt8](repeating: 0, count: 40_000))
            _ = try cursor.next()
        }
    }

    @Test(
        "times of a signature",
        arguments: [
            ("170D", "180126135518Z", 1_516_974_918), ("170D", "700101000000Z", 0),
            ("170D", "491231235959Z", 2_524_607_999),
            ("170D", "500101000000Z", -631_152_000), ("180F", "20240229000000Z", 1_709_164_800),
            ("180F", "19700101000001Z", 1),
        ] as [(String, String, Int64)])
    func times(_ head: String, _ text: String, _ seconds: Int64) throws {
        #expect(try time(head, text) == seconds)
    }

    @Test(
        "an invalid time",
        arguments: [
            ("170D", "261399999999Z"), ("170D", "260230000000Z"), ("170D", "230229000000Z"), ("170D", "260101240000Z"),
            ("170D", "260101006000Z"), ("170D", "260101000060Z"), ("170D", "260100000000Z"), ("170D", "26010100000+Z"),
            ("1711", "260101000000+0800"), ("170B", "2601010000Z"), ("1811", "20260101000000.5Z"),
            ("040D", "260101000000Z"),
            ("170C", "260101000000"), ("180F", "19000229000000Z"),
        ])
    func noTimes(_ head: String, _ text: String) throws {
        #expect(try time(head, text) == nil)
    }

    private func time(_ head: String, _ text: String) throws -> Int64? {
        var cursor = BERCursor(try #require(Hex.decode(head)) + Array(text.utf8))
        return SigningTime.seconds(try cursor.next())
    }
}
