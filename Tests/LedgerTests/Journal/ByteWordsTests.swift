import Testing

@testable import Ledger

@Suite("Bytes compared and searched by words")
struct ByteWordsTests {
    /// Lengths on both sides of a word of eight bytes.
    static let lengths = [0, 1, 7, 8, 9, 15, 16, 17, 31]

    @Test("Bytes are the same only when every byte is", arguments: lengths)
    func same(length: Int) {
        let bytes = (0..<length).map { UInt8($0 * 37 & 0xFF) }
        // A copy: equal bytes in one place would not be compared.
        let copy = Array(bytes.reversed().reversed())
        #expect(bytes.span.hasSameBytes(as: copy.span))
        #expect(bytes.span.hasSameBytes(as: bytes.span))
        for place in 0..<length {
            for change: UInt8 in [0x01, 0x80, 0xFF] {
                var other = bytes
                other[place] ^= change
                #expect(!bytes.span.hasSameBytes(as: other.span), "byte \(place)")
            }
        }
        #expect(!bytes.span.hasSameBytes(as: (bytes + [0]).span))
        if length > 0 { #expect(!bytes.span.hasSameBytes(as: bytes.dropLast().map(\.self).span)) }
    }

    @Test("The first place of a byte is found wherever it is", arguments: lengths)
    func firstPlace(length: Int) {
        // The neighbours of the byte, and those that differ in one bit: a search by words may confuse them.
        for wanted: UInt8 in [0, 1, 0x5C, 0x7F, 0x80, 0xFF] {
            for filler in [wanted ^ 0x01, wanted ^ 0x80, wanted &+ 1, wanted &- 1] {
                let none = [UInt8](repeating: filler, count: length)
                #expect(none.span.firstPlace(of: wanted) == nil)
                for place in 0..<length {
                    var bytes = none
                    for index in place..<length { bytes[index] = index == place || index % 3 == 0 ? wanted : filler }
                    #expect(bytes.span.firstPlace(of: wanted) == place)
                    #expect(bytes.span.firstPlace(of: wanted, from: place) == place)
                    let next = (place + 1..<length).first { bytes[$0] == wanted }
                    #expect(bytes.span.firstPlace(of: wanted, from: place + 1) == next)
                }
            }
        }
    }

    @Test("Records differ by each of their parts")
    func records() {
        let position = JournalPosition(partition: 1, offset: 2)
        func record(
            _ position: JournalPosition = position, key: [UInt8]? = [1], header: UInt8 = 3, value: [UInt8] = [4]
        ) -> JournalRecord {
            JournalRecord(position: position, key: key, headers: [.init(name: "a", value: [header])], value: value)
        }
        #expect(record() == record())
        let others = [
            record(JournalPosition(partition: 1, offset: 3)), record(key: nil), record(key: []), record(key: [2]),
            record(header: 0), record(value: []), record(value: [5]),
        ]
        for other in others { #expect(record() != other) }
        #expect(record(key: nil) != record(key: []))
    }
}
