import OrchardHTTPTypes
import Testing

@Suite struct EncodingTests {
    @Test(arguments: [
        ("a%20b", "a b"), ("%E4%B8%AD", "中"), ("a+b", "a+b"), ("", ""), ("%2f", "/"),
    ])
    func percentEscapesAreDecoded(_ text: String, _ expected: String) {
        #expect(PercentEncoding.decode(text.utf8) == expected)
    }

    @Test(arguments: ["%", "%2", "%zz", "%+1", "%00", "%E4", "a%ffb"])
    func whatIsNoEscapeOrNoTextIsRefused(_ text: String) {
        #expect(PercentEncoding.decode(text.utf8) == nil)
    }

    @Test func encodingLeavesOnlyTheUnreservedCharacters() {
        #expect(PercentEncoding.encode("aZ09-._~ /+中") == "aZ09-._~%20%2F%2B%E4%B8%AD")
    }

    @Test func aFormIsDecodedAndEncodedInItsOrder() throws {
        let pairs = try #require(FormEncoding.decode(Array("b=1&a=x+y&&c&d=%26%3D&b=2".utf8)))
        #expect(pairs.map(\.name) == ["b", "a", "c", "d", "b"])
        #expect(pairs.map(\.value) == ["1", "x y", "", "&=", "2"])
        #expect(String(decoding: FormEncoding.encode(pairs), as: UTF8.self) == "b=1&a=x%20y&c=&d=%26%3D&b=2")
        #expect(FormEncoding.decode(Array("a=%zz".utf8)) == nil)
        #expect(FormEncoding.decode([0x61, 0x3D, 0xFF]) == nil)
    }
}
