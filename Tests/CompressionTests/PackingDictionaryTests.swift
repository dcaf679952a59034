import Testing

@testable import OrchardCompression

@Suite("Packing with a dictionary")
struct PackingDictionaryTests {
    private static let dictionary = PackingDictionary(
        Array(#"{"account":"","amount":0,"currency":"CNY","merchantId":"","orderId":"","paymentId":""}"#.utf8))
    private static let text = Array(
        #"{"account":"777","amount":10900,"currency":"CNY","merchantId":"07","orderId":"1","paymentId":"2"}"#.utf8)

    private static func unpacked(_ packed: [UInt8], atMost limit: Int = 1_000) throws -> [UInt8] {
        try dictionary.unpack(packed.span, atMost: limit)
    }

    private static func error(_ packed: [UInt8], atMost limit: Int = 1_000) -> CompressionError? {
        do throws(CompressionError) {
            _ = try dictionary.unpack(packed.span, atMost: limit)
            return nil
        } catch { return error }
    }

    @Test("gives back what was packed, up to exactly the limit, in less bytes where the dictionary fits")
    func whole() throws {
        for content in [[], [7], Self.text, Array(repeating: 1, count: 300_000), (0..<3_000).map { UInt8($0 % 251) }] {
            let packed = Self.dictionary.pack(content, number: 9)
            #expect(packed.first == 9)
            #expect(try Self.unpacked(packed, atMost: content.count) == content)
        }
        #expect(Self.dictionary.pack(Self.text, number: 0).count < Self.text.count * 2 / 3)
    }

    @Test("refuses more than the limit without making room for it")
    func bomb() {
        let packed = Self.dictionary.pack([UInt8](repeating: 0, count: 50_000_000), number: 0)
        #expect(packed.count < 10_000)
        #expect(Self.error(packed)?.code == .tooLarge)
        #expect(Self.error(packed, atMost: 49_999_999)?.code == .tooLarge)
    }

    @Test("refuses what is cut, followed by more, or rubbish")
    func damaged() {
        let packed = Self.dictionary.pack(Self.text, number: 0)
        for count in 0..<packed.count { #expect(Self.error(Array(packed[..<count])) != nil) }
        #expect(Self.error(packed + [0])?.code == .checksum)
        #expect(Self.error(packed + packed)?.code == .checksum)
        #expect(Self.error(Array("nothing of the kind".utf8))?.code == .checksum)
    }

    @Test("refuses every change of a bit, also of those that zstd does not look at")
    func changed() {
        let packed = Self.dictionary.pack(Self.text, number: 0)
        for bit in 0..<packed.count * 8 {
            var changed = packed
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(Self.error(changed)?.code == .checksum)
        }
    }

    @Test("refuses zstd's bytes with a right checksum that are cut, followed by more, or of another dictionary")
    func forged() {
        func signed(_ bytes: [UInt8]) -> [UInt8] {
            let sum = CRC32.checksum(of: bytes)
            return bytes + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: sum >> UInt32($0)) }
        }
        let bytes = Array(Self.dictionary.pack(Self.text, number: 0).dropLast(4))
        #expect(Self.error(signed(bytes)) == nil)
        for count in 0..<bytes.count { #expect(Self.error(signed(Array(bytes[..<count])))?.code == .malformed) }
        #expect(Self.error(signed(bytes + [0]))?.code == .malformed)
        #expect(Self.error(signed(bytes + bytes.dropFirst()))?.code == .malformed)
        #expect(Self.error(signed(Array("nothing of the kind".utf8)))?.code == .malformed)
        // A frame to be passed over, and one of zstd 0.7.
        let skipped: [UInt8] = [0, 0x50, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3]
        #expect(Self.error(signed(skipped))?.code == .malformed)
        #expect(Self.error(signed([0, 0x27, 0xB5, 0x2F, 0xFD] + bytes.dropFirst(5)))?.code == .malformed)
        let other = PackingDictionary(Array(repeating: UInt8(ascii: "x"), count: 100))
        let text = try? other.unpack(signed(bytes).span, atMost: 1_000)
        #expect(text != Self.text)
    }

    @Test("works from many tasks at once")
    func together() async throws {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<64 {
                group.addTask {
                    let text = Self.text + Array("\(number)".utf8)
                    return try (0..<200).allSatisfy { _ in
                        let packed = Self.dictionary.pack(text, number: 1)
                        return try Self.unpacked(packed) == text
                    }
                }
            }
            for try await isSame in group { #expect(isSame) }
        }
    }
}
