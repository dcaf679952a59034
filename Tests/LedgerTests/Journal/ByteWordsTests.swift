import Testing

@testable import Ledger

@Suite("Bytes compared and searched by words")
struct ByteWordsTests {
    /// Lengths on both sides of a word of eight bytes.
    static let lengths = [0, 1, 7, 8, 9, 15, 16, 17, 31]

    private func same(_ left: [UInt8], _ right: [UInt8]) -> Bool { left.span.hasSameBytes(as: right.span) }

    private func place(of byte: UInt8, in bytes: [UInt8], from start: Int = 0) -> Int? {
        bytes.span.firstPlace(of: byte, from: start)
    }

    @Test("Bytes are the same only when every byte is", arguments: lengths)
    func same(length: Int) {
        let bytes = (0..<length).map { UInt8($0 * 37 & 0xFF) }
        // A copy: equal bytes in one place would not be compared.
        let copy = Array(bytes.reversed().reversed())
        #expect(same(bytes, copy))
        #expect(same(bytes, bytes))
        for place in 0..<length {
            for change: UInt8 in [0x01, 0x80, 0xFF] {
                var other = bytes
                other[place] ^= change
                #expect(!same(bytes, other), "byte \(place)")
            }
        }
        #expect(!same(bytes, bytes + [0]))
        if length > 0 { #expect(!same(bytes, Array(bytes.dropLast()))) }
    }

    @Test("The first place of a byte is found wherever it is", arguments: lengths)
    func firstPlace(length: Int) {
        // The neighbours of the byte, and those that differ in one bit: a search by words may confuse them.
        for wanted: UInt8 in [0, 1, 0x5C, 0x7F, 0x80, 0xFF] {
            for filler in [wanted ^ 0x01, wanted ^ 0x80, wanted &+ 1, wanted &- 1] {
                let none = [UInt8](repeating: filler, count: length)
                #expect(place(of: wanted, in: none) == nil)
                for place in 0..<length {
                    var bytes = none
                    for index in place..<length { bytes[index] = index == place || index % 3 == 0 ? wanted : filler }
                    #expect(self.place(of: wanted, in: bytes) == place)
                    #expect(self.place(of: wanted, in: bytes, from: place) == place)
                    let next = (place + 1..<length).first { bytes[$0] == wanted }
                    #expect(self.place(of: wanted, in: bytes, from: place + 1) == next)
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
