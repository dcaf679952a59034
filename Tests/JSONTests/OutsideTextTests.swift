import OrchardJSON
import Testing

@Suite("Text from outside")
struct OutsideTextTests {
    @Test(
        "is one plain line",
        arguments: [
            ("amount", "amount"), ("金额 é", "金额 é"), ("a\nlevel=error", #"a\u{0A}level=error"#),
            ("\r\t\0", #"\u{0D}\u{09}\u{00}"#),
            ("\u{1B}[2J", #"\u{1B}[2J"#), ("\u{9B}2J", #"\u{9B}2J"#),
            ("\u{2028}\u{2029}\u{85}", #"\u{2028}\u{2029}\u{85}"#),
            ("\u{202E}gpj", #"\u{202E}gpj"#), ("\u{200B}\u{FEFF}", #"\u{200B}\u{FEFF}"#),
            ("\u{7F}", #"\u{7F}"#), ("", ""),
        ])
    func lines(_ text: String, _ printable: String) {
        #expect(OutsideText.printable(text) == printable)
        #expect(OutsideText.printable(printable) == printable, "twice changes nothing")
    }

    @Test("ends at its limit", arguments: [(500, "", 500), (501, "…", 499), (60_000, "…", 499)])
    func limit(_ count: Int, _ end: String, _ letters: Int) {
        let text = OutsideText.printable(String(repeating: "a", count: count))
        #expect(text == String(repeating: "a", count: letters) + end)
    }

    @Test("ends at its limit even where each character is escaped")
    func escapedLimit() {
        let text = OutsideText.printable(String(repeating: "\u{0}", count: 10_000), upTo: 20)
        #expect(text.unicodeScalars.count <= 20 && text.hasSuffix("…"))
        #expect(OutsideText.printable(text, upTo: 20) == text)
    }

    @Test("a member's name adds no second line to a reason, and does not fill it")
    func names() throws {
        let forged = #"{"a\n2026-11-22T00:00:00Z NOTICE token-ingest: payment accepted":01}"#
        let error = try #require(throws: JSONError.self) { try JSONValue(parsing: Array(forged.utf8)) }
        #expect(!error.description.contains("\n"))
        #expect(error.path.hasPrefix(#"a\u{0A}2026"#))
        let missing = try #require(throws: JSONError.self) {
            try JSONReader.read(Array(#"{"\u0000":{}}"#.utf8)) { reader throws(JSONError) in
                try reader.object { reader, name throws(JSONError) in
                    try reader.object { _, _ in }
                    _ = try reader.required(nil as Int?, "amount")
                }
            }
        }
        #expect(missing.path == #"\u{00}.amount"#)

        let long = #"{"\#(String(repeating: "é", count: 30_000))":01}"#
        let capped = try #require(throws: JSONError.self) { try JSONValue(parsing: Array(long.utf8)) }
        #expect(capped.path.unicodeScalars.count == 64)
        let deep = String(repeating: #"{"\#(String(repeating: "n", count: 500))":"#, count: 20)
        let nested = try #require(throws: JSONError.self) { try JSONValue(parsing: Array(deep.utf8)) }
        #expect(nested.path.utf8.count <= 300)
    }
}
