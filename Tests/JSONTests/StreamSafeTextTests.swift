import OrchardJSON
import TestSupport
import Testing

@Suite("Text from outside with combining marks")
struct StreamSafeTextTests {
    @Test(
        "becomes a string when at most 30 follow each other",
        arguments: ["", "plain", "Zoë", "中国银联", "한글", "b" + String(repeating: "\u{301}", count: 30), "पूर्णांक"])
    func accepted(_ text: String) {
        #expect(String(outside: Array(text.utf8)) == text)
    }

    @Test(
        "becomes no string with more, whatever the mark",
        arguments: ["\u{301}", "\u{323}", "\u{344}", "\u{F73}", "\u{F75}", "\u{F81}", "\u{1D165}"])
    func refused(_ mark: String) {
        #expect(String(outside: Array(("b" + String(repeating: mark, count: 31)).utf8)) == nil)
    }

    @Test("becomes no string when the bytes are not UTF-8")
    func otherBytes() {
        #expect(String(outside: [0x62, 0xCC]) == nil)
    }

    private static let hostile: [(name: String, text: String)] = {
        let marks = CombiningMarks.text(24_000)
        let escaped = String(repeating: #"\u0301"#, count: 4_000) + String(repeating: #"\u0323"#, count: 4_000)
        let names = (0..<15).map { #""n\#($0)":0,"# }.joined()
        return [
            ("a value", #"{"a":"\#(marks)"}"#), ("a value in escapes", #"{"a":"b\#(escaped)"}"#),
            ("a name", #"{"\#(marks)":0}"#), ("a name that begins with an escape", #"{\#(names)"\u0062\#(marks)":0}"#),
            ("a name behind 20 others", #"{\#(names)\#(names.replacing("n", with: "m"))"\#(marks)":0}"#),
            ("a name in escapes", #"{\#(names)"b\#(escaped)":0}"#),
            ("names that differ in their ends", #"{"\#(marks)1":0,"\#(marks.prefix(8_000))2":0}"#),
        ]
    }()

    @Test("is refused in JSON at once, without a comparison", arguments: hostile)
    func costs(_ name: String, _ text: String) throws {
        let bytes = Array(text.utf8)
        let plain = Array(#"{"a":"\#(String(repeating: "é", count: bytes.count / 2))"}"#.utf8)
        var error: JSONError?
        let usual = ThreadClock.cost(runs: 3) { _ = try? JSONValue(parsing: plain) }
        let cost = ThreadClock.cost(runs: 3, bound: 20 * usual) {
            do throws(JSONError) { _ = try JSONValue(parsing: bytes) } catch let found { error = found }
        }
        #expect(error?.code == .encoding)
        let reason = error?.reason ?? ""
        #expect(reason == "more than 30 combining marks follow each other", "\(name): \(reason)")
        #expect(cost <= 20 * usual, "\(name) costs \(Int(cost / usual)) texts of its length")
    }
}
