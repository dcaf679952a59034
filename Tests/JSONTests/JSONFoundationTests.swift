import Foundation
import OrchardJSON
import Testing

/// Foundation must accept every text that our reader accepts, with equal values. Mutations of good texts find the
/// unusual cases.
@Suite("JSON against Foundation")
struct JSONFoundationTests {
    static let seeds = [
        #"{"a":1,"b":[true,false,null],"c":"x\u00e9\/\n","d":{"e":-12.5e-3,"f":""}}"#,
        #"{"lines":[{"amount":1234,"label":"茶"},{"amount":0}],"total":"12.34","n":9223372036854775807}"#,
        #"[[],{},"",0,-1,1.5,"\ud83d\ude00",[[["deep"]]]]"#,
    ]
    static let alphabet =
        Array(#"{}[]:,"\/ubfnrt0123456789.eE+-aD8C truefalsn"#.utf8) + [
            0, 9, 10, 0x7F, 0x80, 0xC3, 0xA9, 0xED, 0xA0, 0xFF,
        ]

    @Test("JSONSerialization accepts every text that we accept, with equal values", arguments: 1...8)
    func agreement(_ seed: UInt64) throws {
        var random = SplitMix(state: seed)
        var accepted = 0
        for round in 0..<4_000 {
            var text = Array(Self.seeds[round % Self.seeds.count].utf8)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let at = Int.random(in: 0..<text.count, using: &random)
                let byte = Self.alphabet.randomElement(using: &random) ?? 0
                switch Int.random(in: 0..<4, using: &random) {
                case 0: text[at] = byte
                case 1: text.insert(byte, at: at)
                case 2: text.remove(at: at)
                default: text.insert(contentsOf: text[at..<min(at + 6, text.count)], at: at)
                }
            }
            guard let ours = try? JSONValue(parsing: text) else { continue }
            accepted += 1
            let theirs: Any
            do {
                theirs = try JSONSerialization.jsonObject(with: Data(text), options: .fragmentsAllowed)
            } catch {
                // Foundation converts numbers to values; our reader keeps the text of a number that no Double can hold.
                #expect("\(error)".contains("is not representable in Swift"))
                continue
            }
            #expect(equal(ours, theirs), "\(String(decoding: text, as: UTF8.self))")
            #expect(try JSONValue(parsing: ours.bytes).bytes == ours.bytes)
        }
        #expect(accepted > 200, "the mutations leave enough texts to compare")
    }

    /// Foundation uses Decimal for long numbers, which may round the last digit differently.
    private func close(_ left: Double?, _ right: Double?) -> Bool {
        guard let left, let right else { return false }
        return abs(left - right) <= abs(right) * 1e-15
    }

    private func equal(_ ours: JSONValue, _ theirs: Any) -> Bool {
        switch ours {
        case .null: theirs is NSNull
        case .bool(let value): (theirs as? NSNumber)?.boolValue == value
        case .integer(let value): (theirs as? NSNumber)?.int64Value == value
        case .number(let text): close((theirs as? NSNumber)?.doubleValue, Double(text))
        case .string(let text): (theirs as? String).map { Array($0.utf8) == Array(text.utf8) } ?? false
        case .array(let elements):
            (theirs as? [Any]).map { $0.count == elements.count && zip(elements, $0).allSatisfy { equal($0, $1) } }
                ?? false
        case .object(let members):
            (theirs as? [String: Any]).map { theirs in
                members.count >= theirs.count
                    && members.allSatisfy { member in theirs[member.name].map { equal(member.value, $0) } ?? false }
            } ?? false
        }
    }
}

/// A small repeatable generator (Steele, Lea, Flood: SplitMix64).
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
