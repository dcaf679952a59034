import OrchardJSON
import Testing

@Suite("JSON reader")
struct JSONReaderTests {
    struct Refusal: CustomTestStringConvertible, Sendable {
        let text: String
        let code: JSONError.Code
        let offset: Int
        var testDescription: String { text.debugDescription }

        init(_ text: String, _ code: JSONError.Code, _ offset: Int) {
            self.text = text
            self.code = code
            self.offset = offset
        }
    }

    @Test(
        "refuses what is not JSON",
        arguments: [
            Refusal("", .syntax, 0), .init(" ", .syntax, 1), .init("nul", .syntax, 0), .init("True", .syntax, 0),
            .init("{", .syntax, 1), .init("[1", .syntax, 2), .init("[1,]", .syntax, 3), .init("{\"a\":1,}", .syntax, 7),
            .init("{a:1}", .syntax, 1), .init("{\"a\" 1}", .syntax, 5), .init("{\"a\":}", .syntax, 5),
            .init("[1 2]", .syntax, 3), .init("{\"a\":1 \"b\":2}", .syntax, 7), .init("'a'", .syntax, 0),
            .init("1 1", .syntax, 2), .init("{}{}", .syntax, 2), .init("null\u{0}", .syntax, 4),
            .init("[]//", .syntax, 2),
            .init("01", .syntax, 2), .init("-", .syntax, 0), .init("1.", .syntax, 2), .init("1e", .syntax, 2),
            .init("1e+", .syntax, 3), .init(".5", .syntax, 0), .init("+1", .syntax, 0), .init("NaN", .syntax, 0),
            .init("-Infinity", .syntax, 0), .init("0x10", .syntax, 1), .init("\"a", .syntax, 2),
            .init("\"a\\", .syntax, 3), .init("\"\n\"", .syntax, 1), .init("\"\\x\"", .syntax, 1),
            .init("\"\\u12\"", .syntax, 1), .init("\"\\u12G4\"", .syntax, 1), .init("\u{00A0}1", .syntax, 0),
            .init("\"\\uD800\"", .encoding, 1), .init("\"\\uDC00\"", .encoding, 1),
            .init("\"\\uD800\\uD800\"", .encoding, 1), .init("\"\\uD800x\"", .encoding, 1),
            .init("\u{FEFF}{}", .encoding, 0),
        ])
    func refusals(_ refusal: Refusal) throws {
        let error = try #require(throws: JSONError.self) { try JSONValue(parsing: Array(refusal.text.utf8)) }
        #expect(error.code == refusal.code)
        #expect(error.offset == refusal.offset)
        let skipped = try #require(throws: JSONError.self) {
            try JSONReader.read(Array(refusal.text.utf8)) { reader throws(JSONError) in try reader.skip() }
        }
        #expect(skipped == error, "a skipped value is checked as if it had been read")
    }

    @Test(
        "refuses strings that are not UTF-8",
        arguments: [
            [0xFF], [0xC0, 0x80], [0xC3], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0x80],
        ] as [[UInt8]])
    func encoding(_ bad: [UInt8]) throws {
        for text in [[0x22] + bad + [0x22], [0x7B, 0x22] + bad + [0x22, 0x3A, 0x31, 0x7D]] as [[UInt8]] {
            let error = try #require(throws: JSONError.self) { try JSONValue(parsing: text) }
            #expect(error.code == .encoding)
            #expect(throws: JSONError.self) {
                try JSONReader.read(text) { reader throws(JSONError) in try reader.skip() }
            }
        }
    }

    @Test("recognises a repeated name after others, whatever its length and letters")
    func repeatedNames() throws {
        let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
        for (index, letter) in letters.enumerated() {
            let name = String(letter) + String(repeating: "m", count: index % 23) + String(letters[62 - index])
            let text = "{\"\(name)\":1,\"other\":2,\"\(name)\":3}"
            #expect(throws: JSONError.self, "\(name)") { try JSONValue(parsing: Array(text.utf8)) }
            let different = "{\"\(name)\":1,\"other\":2,\"\(name)x\":3}"
            #expect(throws: Never.self) { try JSONValue(parsing: Array(different.utf8)) }
        }
    }

    @Test(
        "refuses a member that occurs twice, however it is written",
        arguments: [
            "{\"a\":1,\"a\":1}", "{\"a\":1,\"\\u0061\":2}", "{\"b\":{\"a\":1,\"a\":2}}", "[{\"\":1,\"\":2}]",
            "{" + (0..<40).map { "\"m\($0)\":0" }.joined(separator: ",") + ",\"m3\":1}",
            "{" + (0..<40).map { "\"m\($0)\":0" }.joined(separator: ",") + ",\"m39\":1}",
        ])
    func duplicates(_ text: String) throws {
        let error = try #require(throws: JSONError.self) { try JSONValue(parsing: Array(text.utf8)) }
        #expect(error.code == .duplicate)
    }

    @Test(
        "refuses names that Swift treats as equal to others, so that only the exact bytes are a known member",
        arguments: [
            "{\"public\u{212A}eyHash\":\"\"}", "{\"public\\u212AeyHash\":\"\"}", "{\"a\u{37E}\":1}",
            "{\"b\":1,\"e\u{301}\":2}",
        ])
    func normalizationOfNames(_ text: String) throws {
        let error = try #require(throws: JSONError.self) { try JSONValue(parsing: Array(text.utf8)) }
        #expect(error.code == .encoding)
    }

    @Test("accepts names and values of any script")
    func otherScripts() throws {
        let value = try JSONValue(parsing: Array("{\"茶\":\"e\u{301}\u{212A}\",\"\u{e9}\":1}".utf8))
        #expect(value["茶"]?.string.map { Array($0.utf8) } == Array("e\u{301}\u{212A}".utf8))
        #expect(value["\u{e9}"] == 1)
    }

    @Test("the same name may occur in different objects, also in large ones")
    func namesOfDifferentObjects() throws {
        let inner = "{" + (0..<40).map { "\"m\($0)\":{\"m\($0)\":{}}" }.joined(separator: ",") + "}"
        let value = try JSONValue(parsing: Array("[\(inner),\(inner)]".utf8))
        #expect(value[1]?["m39"]?["m39"] == .object([]))
    }

    @Test("nesting ends at the limit")
    func depth() throws {
        let fine = String(repeating: "[", count: 32) + String(repeating: "]", count: 32)
        _ = try JSONValue(parsing: Array(fine.utf8))
        let error = try #require(throws: JSONError.self) { try JSONValue(parsing: Array("[\(fine)]".utf8)) }
        #expect(error.code == .depth)
        #expect(error.offset == 32)
        let objects = String(repeating: "{\"a\":", count: 20_000)
        #expect(throws: JSONError.self) { try JSONValue(parsing: Array(objects.utf8)) }
    }

    @Test(
        "integers are exact to the limits of 64 bits",
        arguments: [
            ("0", 0), ("-1", -1), ("9223372036854775807", .max), ("-9223372036854775808", .min), (" 42 ", 42),
        ] as [(String, Int64)])
    func integers(_ text: String, _ value: Int64) throws {
        #expect(try JSONReader.read(Array(text.utf8)) { reader throws(JSONError) in try reader.int64() } == value)
    }

    @Test(
        "an integer has no fraction, no exponent, no minus zero, and fits",
        arguments: [
            ("1.0", .type), ("1e2", .type), ("1E2", .type), ("-0", .value), ("-0.0", .type), ("01", .syntax),
            ("9223372036854775808", .range), ("-9223372036854775809", .range), ("99999999999999999999", .range),
            ("\"1\"", .type), ("true", .type), ("null", .type), ("[]", .type), ("", .syntax), ("-", .type),
            ("x", .syntax),
        ] as [(String, JSONError.Code)])
    func integerRefusals(_ text: String, _ code: JSONError.Code) throws {
        let error = try #require(throws: JSONError.self) {
            try JSONReader.read(Array(text.utf8)) { reader throws(JSONError) in try reader.int64() }
        }
        #expect(error.code == code)
    }

    @Test(
        "strings",
        arguments: [
            ("\"\"", ""), ("\"a\\/b\"", "a/b"), ("\"\\\"\\\\\\b\\f\\n\\r\\t\"", "\"\\\u{8}\u{C}\n\r\t"),
            ("\"\\u00e9\\u20AC\"", "é€"), ("\"\\uD83D\\uDE00\"", "😀"), ("\"李雷\"", "李雷"), ("\"\\u0000\"", "\u{0}"),
            ("\"\u{7F}\"", "\u{7F}"), ("\"é\\n\"", "é\n"), ("\"e\u{301}\"", "e\u{301}"),
        ])
    func strings(_ text: String, _ value: String) throws {
        let read = try JSONReader.read(Array(text.utf8)) { reader throws(JSONError) in try reader.string() }
        #expect(Array(read.utf8) == Array(value.utf8))
        var bytes: [UInt8] = []
        try JSONReader.read(Array(text.utf8)) { reader throws(JSONError) in try reader.utf8 { bytes.append($0) } }
        #expect(bytes == Array(value.utf8))
    }

    @Test("an error has the path")
    func path() throws {
        let text = Array(#"{"id":"x","lines":[{"amount":1},{"amount":2},{"amount":"3"}]}"#.utf8)
        let error = try #require(throws: JSONError.self) { try Self.readLines(text) }
        #expect(error.path == "lines[2].amount")
        #expect(error.code == .type)
        #expect(error.offset == 55)
        #expect(error.description == "lines[2].amount: an integer is expected (type at byte 55)")
    }

    @Test(
        "the error about broken text names what was expected, and where",
        arguments: [
            (
                "{\"a\":1,\n}", "a member name in quotes is expected after a comma; a comma before } is not allowed", 2,
                1
            ),
            ("[1,2, ]", "a value is expected after a comma; a comma before ] is not allowed", 1, 7),
            ("{\"a\":1,\n", "the text ends where a member name in quotes is expected", 2, 1),
            ("{\"a\":[1,2\n", "the text ends where a comma or ] after an element is expected", 2, 1),
            ("{\"a\":1", "the text ends where a comma or } after a member is expected", 1, 7),
            ("{\"a\"", "the text ends where a colon after a member name is expected", 1, 5),
            ("{\"a\":", "the text ends where a value is expected", 1, 6),
            ("", "the text ends where a value is expected", 1, 1),
            ("{\"a\":}", "a value is expected", 1, 6), ("{'a':1}", "a member name in quotes is expected", 1, 2),
            ("{\"a\" 1}", "a colon after a member name is expected", 1, 6),
            ("{\"a\":1 \"b\":2}", "a comma or } after a member is expected", 1, 8),
        ] as [(String, String, Int, Int)])
    func broken(_ text: String, _ reason: String, _ line: Int, _ column: Int) throws {
        let error = try #require(throws: JSONError.self) { try JSONValue(parsing: Array(text.utf8)) }
        #expect(error.code == .syntax)
        #expect(error.reason == reason)
        #expect(error.place(in: Array(text.utf8)) == "line \(line), column \(column)")
    }

    @Test("the error about a missing member has its path")
    func missing() throws {
        let error = try #require(throws: JSONError.self) { try Self.readLines(Array(#"{"lines":[{}]}"#.utf8)) }
        #expect(error.path == "lines[0].amount")
        #expect(error.code == .missing)
        let outer = try #require(throws: JSONError.self) { try Self.readLines(Array("{}".utf8)) }
        #expect(outer.path == "lines")
    }

    @Test("the path is correct after inner objects have closed")
    func pathAfterInner() throws {
        let error = try #require(throws: JSONError.self) {
            try JSONReader.read(Array(#"{"a":{"b":[{"c":1}]},"d":[[],[x]]}"#.utf8)) { reader throws(JSONError) in
                try reader.skip()
            }
        }
        #expect(error.path == "d[1][0]")
    }

    @Test("a domain error has the path of the value that was just read")
    func domainError() throws {
        let error = try #require(throws: JSONError.self) {
            try JSONReader.read(Array(#"{"a":[1,2]}"#.utf8)) { reader throws(JSONError) in
                try reader.object { reader, _ throws(JSONError) in
                    try reader.array { reader throws(JSONError) in
                        if try reader.int64() == 2 { throw reader.error(.value, "two is not allowed") }
                    }
                }
            }
        }
        #expect(error.path == "a[1]")
        #expect(error.offset == 9)
    }

    @Test("null, booleans, limits of strings and integers")
    func small() throws {
        let read = try JSONReader.read(Array(#"[null,1,true,false,"abc",7]"#.utf8)) { reader throws(JSONError) in
            var read: [String] = []
            try reader.array { reader throws(JSONError) in
                switch read.count {
                case 0: read.append("\(reader.isNull())")
                case 1: read.append("\(reader.isNull()) \(try reader.int64())")
                case 2, 3: read.append("\(try reader.bool())")
                case 4: read.append(try reader.string(upTo: 3))
                default: read.append("\(try reader.int(in: 0...7))")
                }
            }
            return read
        }
        #expect(read == ["true", "false 1", "true", "false", "abc", "7"])
        #expect(throws: JSONError.self) {
            try JSONReader.read(Array("8".utf8)) { reader throws(JSONError) in try reader.int(in: 0...7) }
        }
        #expect(throws: JSONError.self) {
            try JSONReader.read(Array(#""abcd""#.utf8)) { reader throws(JSONError) in try reader.string(upTo: 3) }
        }
        #expect(throws: JSONError.self) {
            try JSONReader.read(Array(#""""#.utf8)) { reader throws(JSONError) in try reader.string(upTo: 3) }
        }
    }

    private static func readLines(_ bytes: [UInt8]) throws(JSONError) -> [Int64] {
        try JSONReader.read(bytes) { reader throws(JSONError) in
            var lines: [Int64]?
            try reader.object { reader, name throws(JSONError) in
                guard name == "lines" else { return try reader.skip() }
                var amounts: [Int64] = []
                try reader.array { reader throws(JSONError) in
                    var amount: Int64?
                    try reader.object { reader, _ throws(JSONError) in amount = try reader.int64() }
                    amounts.append(try reader.required(amount, "amount"))
                }
                lines = amounts
            }
            return try reader.required(lines, "lines")
        }
    }
}
