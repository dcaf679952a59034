import OrchardJSON
import Testing

@Suite("Text from outside")
struct OutsideTextTests {
    @Test(
        "is one plain line",
        arguments: [
            ("amount", "amount"), ("金额 é", "金额 é"), ("a\nlevel=error", #"a\u{a}level=error"#),
            ("\r\t\0", #"\u{d}\u{9}\u{0}"#),
            ("\u{1B}[2J", #"\u{1b}[2J"#), ("\u{9B}2J", #"\u{9b}2J"#),
            ("\u{2028}\u{2029}\u{85}", #"\u{2028}\u{2029}\u{85}"#),
            ("\u{202E}gpj", #"\u{202e}gpj"#), ("\u{200B}\u{FEFF}", #"\u{200b}\u{feff}"#), (#"\u{a}"#, #"\u{5c}u{a}"#),
            ("\u{7F}", #"\u{7f}"#), ("", ""),
        ])
    func lines(_ text: String, _ printable: String) {
        #expect(OutsideText.printable(text) == printable)
    }

    @Test("ends at its limit", arguments: [(64, "", 64), (65, "…", 64), (60_000, "…", 64)])
    func limit(_ count: Int, _ end: String, _ letters: Int) {
        let text = OutsideText.printable(String(repeating: "a", count: count))
        #expect(text == String(repeating: "a", count: letters) + end)
        #expect(OutsideText.printable("abc", upTo: 2) == "ab…")
    }

    @Test("a member's name forges no second line in a reason, and does not fill it")
    func names() throws {
        let forged = #"{"a\n2026-11-22T00:00:00Z NOTICE token-ingest: payment accepted":01}"#
        let error = try #require(throws: JSONError.self) { try JSONValue(parsing: Array(forged.utf8)) }
        #expect(!error.description.contains("\n"))
        #expect(error.path.hasPrefix(#"a\u{a}2026"#))
        let missing = try #require(throws: JSONError.self) {
            try JSONReader.read(Array(#"{"\u0000":{}}"#.utf8)) { reader throws(JSONError) in
                try reader.object { reader, name throws(JSONError) in
                    try reader.object { _, _ in }
                    _ = try reader.required(nil as Int?, "amount")
                }
            }
        }
        #expect(missing.path == #"\u{0}.amount"#)

        let long = #"{"\#(String(repeating: "é", count: 30_000))":01}"#
        let capped = try #require(throws: JSONError.self) { try JSONValue(parsing: Array(long.utf8)) }
        #expect(capped.path.unicodeScalars.count == 65)
        let deep = String(repeating: #"{"\#(String(repeating: "n", count: 500))":"#, count: 20)
        let nested = try #require(throws: JSONError.self) { try JSONValue(parsing: Array(deep.utf8)) }
        #expect(nested.path.utf8.count <= 300)
    }
}
