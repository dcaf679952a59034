import Testing

@testable import OrchardCrypto

@Suite("DER, read in place")
struct DERCursorTests {
    @Test(
        "each length has one form",
        arguments: [("020107", "07"), ("0400", ""), ("048100", nil), ("3003020107", "020107"), ("0201070", nil)])
    func lengths(_ text: String, _ content: String?) throws {
        guard let bytes = Hex.decode(text), let tag = bytes.first else { return #expect(content == nil) }
        var cursor = DERCursor(bytes[...])
        #expect(cursor.last(tag).map { Hex.encode($0.content) } == content)
    }

    @Test("long lengths", arguments: [(0x80, "8180"), (0xFF, "81ff"), (0x100, "820100"), (0xFFFF, "82ffff")])
    func longLengths(_ count: Int, _ length: String) throws {
        let bytes = [0x04] + (try #require(Hex.decode(length))) + [UInt8](repeating: 7, count: count)
        var cursor = DERCursor(bytes[...])
        #expect(cursor.next(0x04)?.content.count == count)
        #expect(cursor.isAtEnd)
        for shorter in [1, 2, count] {
            var cursor = DERCursor(bytes.dropLast(shorter))
            #expect(cursor.next(0x04) == nil)
        }
    }

    @Test(
        "bytes that are not DER, or another element, give nil",
        arguments: [
            "", "02", "0201", "3080020107 0000", "028101 07", "02820001 07", "0283000001 07", "02FF", "1F810100",
            "0300",
        ])
    func refusals(_ text: String) throws {
        let bytes = try #require(Hex.decode(text.filter { $0 != " " }))
        var cursor = DERCursor(bytes[...])
        #expect(cursor.next(bytes.first == 0x03 ? 0x02 : bytes.first ?? 0x02) == nil)
    }

    @Test("indices are those of the slice")
    func slices() throws {
        let bytes: [UInt8] = [9, 9, 0x30, 3, 2, 1, 7, 9]
        var cursor = DERCursor(bytes[2..<7])
        var children = try #require(cursor.last(0x30)?.children)
        #expect(children.nextTag == 0x02)
        #expect(children.next(0x02)?.encoding == [2, 1, 7])
        #expect(children.isAtEnd)
        #expect(children.next(0x02) == nil)
    }
}
