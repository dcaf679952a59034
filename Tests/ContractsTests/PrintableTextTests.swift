import Contracts
import Testing

@Suite("Words that quote what came from outside")
struct PrintableTextTests {
    @Test(arguments: [
        ("plain words, ä and 中文", "plain words, ä and 中文"), ("a\u{0}b", #"a\u{00}b"#),
        ("a\nb\r\t", #"a\u{0A}b\u{0D}\u{09}"#),
        ("\u{2028}\u{202E}", #"\u{2028}\u{202E}"#), ("\u{7F}\u{85}", #"\u{7F}\u{85}"#), ("", ""),
    ])
    func areOnOneLine(_ text: String, _ expected: String) {
        #expect(text.printable() == expected)
        #expect(text.printable().printable() == expected)
    }

    @Test func areBounded() {
        let text = String(repeating: "\u{0}", count: 10_000).printable(upTo: 20)
        #expect(text.unicodeScalars.count <= 20 && text.hasSuffix("…"))
        #expect(text.printable(upTo: 20) == text)
        #expect(String(repeating: "x", count: 20).printable(upTo: 20).count == 20)
    }
}
