import Foundation
import OrchardJSON
import Testing

@Suite("JSON writer")
struct JSONWriterTests {
    @Test("writes sorted members without spaces; nil leaves a member out")
    func members() {
        let bytes = JSONWriter.object { object in
            object.member("a", 1)
            object.member("b", nil as String?)
            object.member("c", "x/y")
            object.array("d") { array in
                array.element(true)
                array.object { $0.member("k", Int64.min) }
                array.array { $0.element("z") }
                array.element(.null)
            }
            object.object("e") { _ in }
            object.member("f", ["p", "q"])
            object.member("g", false)
            object.member("h", .number("1.50"))
        }
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == #"{"a":1,"c":"x/y","d":[true,{"k":-9223372036854775808},["z"],null],"e":{},"f":["p","q"],"g":false,"h":1.50}"#
        )
    }

    struct Event: Codable {
        var amount: Int64
        var lines: [Int64]
        var nested: [String: String]
        var paid: Bool
        var text: String
    }

    @Test(
        "the bytes are those of JSONEncoder with sorted keys and slashes as they are",
        arguments: [
            "plain", "a/b\\c\"d", "\u{0}\u{1}\u{8}\u{9}\u{A}\u{B}\u{C}\u{D}\u{1F}", "\u{7F}\u{80}é€😀",
            "\u{2028}\u{2029}",
            "e\u{301}", "</script>", String(String.UnicodeScalarView((1..<0x300).compactMap(Unicode.Scalar.init))),
        ])
    func foundation(_ text: String) throws {
        let event = Event(
            amount: .max, lines: [0, -1, .min, 1_000_000], nested: ["z": text, "A": "", "a": "1", "_": "2"], paid: true,
            text: text)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let bytes = JSONWriter.object { object in
            object.member("amount", event.amount)
            object.array("lines") { array in event.lines.forEach { array.element($0) } }
            object.object("nested") { nested in
                nested.member("A", "")
                nested.member("_", "2")
                nested.member("a", "1")
                nested.member("z", text)
            }
            object.member("paid", event.paid)
            object.member("text", event.text)
        }
        #expect(bytes == [UInt8](try encoder.encode(event)))
    }

    @Test("nested objects and arrays are written in place: the text is never copied")
    func inPlace() {
        func place(_ writer: JSONWriter) -> UInt {
            writer.bytes.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
        }
        var writer = JSONWriter(capacity: 4096)
        let start = place(writer)
        writer.array { array in
            for _ in 0..<10 {
                array.object { object in object.object("a") { $0.member("b", 1) } }
                array.array { $0.element("c") }
            }
        }
        #expect(place(writer) == start)
    }

    @Test("a written text reads back unchanged")
    func roundTrip() throws {
        let value = JSONValue.object([
            "b": .array([.integer(1), .bool(false), .null, .string("\u{1}\"/\\ü")]), "a": .object([]),
            "c": .number("1e9"),
        ])
        let back = try JSONValue(parsing: value.bytes)
        #expect(back == .object(["a": .object([]), "b": value["b"] ?? .null, "c": .number("1e9")]))
        #expect(back.bytes == value.bytes)
    }

    @Test("a member out of order or twice stops the program", arguments: ["a", "b"])
    func order(_ name: String) async {
        if name == "a" {
            await #expect(processExitsWith: .failure) {
                _ = JSONWriter.object { object in
                    object.member("b", 1)
                    object.member("a", 1)
                }
            }
        } else {
            await #expect(processExitsWith: .failure) {
                _ = JSONWriter.object { object in
                    object.member("b", 1)
                    object.member("b", 1)
                }
            }
        }
    }
}
