import TestSupport
import Testing

@testable import OrchardCompression

@Suite("A ZIP archive")
struct ZipArchiveTests {
    private static let limits = ZipArchive.Limits(entries: 4, bytes: 100_000)
    private static let detail = Array(String(repeating: "row\r\n", count: 500).utf8)

    private static let honest = ZipWriter([
        ZipWriter.Entry("INN261123ZM_777", detail), ZipWriter.Entry("empty", []),
        ZipWriter.Entry("RD2010", Array("sum".utf8)),
    ])

    /// Reads everything; the first error.
    private static func error(_ bytes: [UInt8]) -> CompressionError? {
        do throws(CompressionError) {
            let archive = try ZipArchive(bytes, limits: limits)
            for entry in archive.entries { _ = try archive.content(of: entry) }
            return nil
        } catch { return error }
    }

    @Test("gives back its files, stored or deflated, with a comment or without")
    func whole() throws {
        for comment in ["", "made by a test"] {
            var writer = Self.honest
            writer.comment = comment
            writer.entries[2].isDeflated = false
            let archive = try ZipArchive(writer.bytes, limits: Self.limits)
            #expect(archive.entries.map(\.name) == ["INN261123ZM_777", "empty", "RD2010"])
            for (entry, written) in zip(archive.entries, writer.entries) {
                #expect(try archive.content(of: entry) == written.content)
            }
        }
    }

    /// What a stranger may put into an archive, and what is said about it.
    private static let tricks: [(String, CompressionError.Code, @Sendable (inout ZipWriter) -> Void)] = [
        ("no file at all", .malformed, { $0.entries = [] }),
        ("more files than allowed", .tooLarge, { $0.entries = (0..<5).map { ZipWriter.Entry("f\($0)", []) } }),
        ("fewer files than it says", .malformed, { $0.count = 4 }),
        ("more files than it says", .malformed, { $0.count = 2 }),
        ("a path", .malformed, { $0.entries[0].name = "../../etc/passwd" }),
        ("a path of Windows", .malformed, { $0.entries[0].name = "..\\a" }),
        ("an absolute path", .malformed, { $0.entries[0].name = "/etc/passwd" }),
        ("a hidden file", .malformed, { $0.entries[0].name = ".." }),
        ("a name with a zero", .malformed, { $0.entries[0].name = "a\0b" }),
        ("a name of an emoji", .malformed, { $0.entries[0].name = "💰" }),
        ("an empty name", .malformed, { $0.entries[0].name = "" }),
        ("a long name", .malformed, { $0.entries[0].name = String(repeating: "a", count: 101) }),
        ("one name twice", .malformed, { $0.entries[1].name = $0.entries[0].name }),
        ("another name in the file's own header", .malformed, { $0.entries[0].ownName = "INN261123ZM_778" }),
        (
            "a file over another one", .malformed,
            {
                $0.entries[2].offset = 0; $0.entries[2].name = "INN261123ZM_777x"
            }
        ),
        ("a file at the same place", .malformed, { $0.entries[1].offset = 0 }),
        ("a file behind the end", .malformed, { $0.entries[0].offset = 1 << 30 }),
        ("a wrong checksum", .checksum, { $0.entries[0].checksum = 7 }),
        ("a smaller size than there is", .tooLarge, { $0.entries[0].size = 9 }),
        ("a larger size than there is", .malformed, { $0.entries[0].size = 3_000 }),
        ("a size that would fill the memory", .tooLarge, { $0.entries[0].size = 0xFFFF_FFFF }),
        ("encryption", .unsupported, { $0.entries[0].flags = 1 }),
        ("another method", .unsupported, { $0.entries[0].method = 14 }),
    ]

    @Test("is refused with", arguments: tricks.indices)
    func refused(_ index: Int) {
        let (name, code, change) = Self.tricks[index]
        var writer = Self.honest
        change(&writer)
        #expect(Self.error(writer.bytes)?.code == code, "\(name): \(String(describing: Self.error(writer.bytes)))")
    }

    @Test("cut anywhere, or with more in front or behind, is refused")
    func cut() {
        let bytes = Self.honest.bytes
        for end in bytes.indices {
            #expect(Self.error(Array(bytes[..<end]))?.code == .malformed, "\(end) of \(bytes.count) bytes")
        }
        #expect(Self.error([0] + bytes) != nil)
        #expect(Self.error(bytes + [0]) != nil)
    }

    @Test("with any byte changed gives the same files or an error")
    func changed() throws {
        let bytes = Self.honest.bytes
        for place in bytes.indices {
            var other = bytes
            other[place] ^= 0xFF
            do throws(CompressionError) {
                let archive = try ZipArchive(other, limits: Self.limits)
                for (entry, written) in zip(archive.entries, Self.honest.entries) {
                    #expect(try archive.content(of: entry) == written.content, "byte \(place)")
                }
            } catch { _ = error.description }
        }
    }

    @Test("of 64 KB of rubbish is none")
    func rubbish() {
        var numbers = SystemRandomNumberGenerator()
        for _ in 0..<20 {
            let bytes = (0..<65_536).map { _ in UInt8.random(in: 0...255, using: &numbers) }
            #expect(Self.error(bytes) != nil)
        }
    }
}
