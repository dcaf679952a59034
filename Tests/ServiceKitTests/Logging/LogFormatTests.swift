import Foundation
import Testing

@testable import OrchardServiceKit

@Suite("Log lines")
struct LogFormatTests {
    private func line(_ format: LogFormat, _ message: String, _ metadata: [String: String] = [:]) -> String {
        let record = LogRecord(
            time: 1_709_164_799_987, level: .warning, label: "gateway.timer", message: message, metadata: metadata)
        return String(decoding: format.line(record), as: UTF8.self)
    }

    @Test("each line is one JSON object, with the keys that collectors expect")
    func json() {
        #expect(
            line(.json, "late", ["order_id": "1", "msg": "x"])
                == #"{"time":"2024-02-28T23:59:59.987Z","level":"warning","logger":"gateway.timer","msg":"late","#
                + #""msg_":"x","order_id":"1"}"# + "\n")
    }

    @Test("text for humans")
    func text() {
        #expect(
            line(.text, "late", ["order_id": "1"])
                == "2024-02-28T23:59:59.987Z WARNING  gateway.timer: late order_id=1\n")
    }

    @Test("no input ends its line early or adds another", arguments: LogFormat.allCases)
    func injection(_ format: LogFormat) throws {
        let text = line(format, "a\nb\r\"\\\u{0}\u{1b}[31m é", ["k\"\n": "v\n"])
        #expect(text.utf8.filter { $0 < 0x20 } == [UInt8(ascii: "\n")])
        if format == .json {
            let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: String]
            #expect(object?["msg"] == "a\nb\r\"\\\u{0}\u{1b}[31m é")
            #expect(object?["k\"\n"] == "v\n")
        }
    }

    @Test(
        "no character changes the direction of a line or is hidden in it", arguments: LogFormat.allCases,
        ["\u{9B}2J", "\u{85}", "\u{2028}", "\u{202E}gpj", "\u{2066}", "\u{200B}", "\u{FEFF}"])
    func misleading(_ format: LogFormat, _ text: String) throws {
        let line = line(format, "a\(text)é茶")
        #expect(!line.unicodeScalars.contains(text.unicodeScalars[text.unicodeScalars.startIndex]))
        #expect(line.contains("é茶"))
        if format == .json {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String]
            #expect(object?["msg"] == "a\(text)é茶")
        }
    }

    @Test("card numbers are masked in message and metadata", arguments: LogFormat.allCases)
    func redaction(_ format: LogFormat) {
        #expect(!line(format, "pan 4111111111111111", ["pan": "4111111111111111"]).contains("4111"))
    }

    @Test(
        "times are RFC 3339",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (951_782_400_001, "2000-02-29T00:00:00.001Z"),
            (4_102_444_799_999, "2099-12-31T23:59:59.999Z"),
        ] as [(Int64, String)])
    func times(_ milliseconds: Int64, _ text: String) {
        #expect(LogFormat.timestamp(milliseconds) == text)
    }
}
