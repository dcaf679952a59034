import TestSupport
import Testing

@testable import OrchardCompression

@Suite("Unpacking")
struct InflateTests {
    private static let text = Array(String(repeating: "settled on 2026-11-23; ", count: 9_000).utf8)

    private static func error(_ packed: [UInt8], _ format: Inflate.Format = .zlib, atMost limit: Int)
        -> CompressionError?
    {
        do throws(CompressionError) {
            _ = try Inflate.inflate(packed[...], format, atMost: limit)
            return nil
        } catch { return error }
    }

    @Test("gives back what was packed, with zlib's header or without, up to exactly the limit")
    func whole() throws {
        for (format, hasHeader) in [(Inflate.Format.zlib, true), (.raw, false)] {
            for content in [[], Self.text] {
                let packed = Deflate.deflate(content, hasHeader: hasHeader)
                #expect(try Inflate.inflate(packed[...], format, atMost: content.count) == content)
                #expect(try Inflate.inflate(([0] + packed)[1...], format, atMost: content.count) == content)
            }
        }
    }

    @Test("stops at the limit, however much would follow")
    func bomb() {
        let packed = Deflate.deflate([UInt8](repeating: 0, count: 50_000_000), hasHeader: true)
        #expect(packed.count < 60_000)
        #expect(Self.error(packed, atMost: 1_000_000)?.code == .tooLarge)
        #expect(Self.error(Deflate.deflate(Self.text, hasHeader: true), atMost: Self.text.count - 1)?.code == .tooLarge)
    }

    @Test("refuses what is cut, changed, followed by more, of another format, or rubbish")
    func damaged() {
        let packed = Deflate.deflate(Self.text, hasHeader: true)
        for end in [0, 1, 2, packed.count / 2, packed.count - 1] {
            #expect(Self.error(Array(packed[..<end]), atMost: 1_000_000)?.code == .malformed, "\(end) bytes")
        }
        #expect(Self.error(packed + [0], atMost: 1_000_000)?.reason == "bytes follow the end of what is packed")
        #expect(Self.error(packed, .raw, atMost: 1_000_000)?.code == .malformed)
        var changed = packed
        changed[changed.count - 1] ^= 1
        #expect(Self.error(changed, atMost: 1_000_000)?.code == .malformed)
        var numbers = SystemRandomNumberGenerator()
        let rubbish = (0..<65_536).map { _ in UInt8.random(in: 0...255, using: &numbers) }
        #expect(Self.error([0x78, 0x9C] + rubbish, atMost: 1_000_000) != nil)
    }
}
