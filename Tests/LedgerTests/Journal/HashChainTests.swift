import Contracts
import LedgerFixtures
import OrchardCrypto
import Testing

@testable import Ledger

@Suite("The hash chain")
struct HashChainTests {
    @Test("Fields are length-prefixed, integers big-endian")
    func canonicalBytes() {
        var bytes = CanonicalBytes(version: 1)
        bytes.append("ab")
        bytes.append(-2)
        bytes.append(nil as [UInt8]?)
        bytes.append([7] as [UInt8]?)
        bytes.append([3, 4]) { bytes, number in bytes.append(Int64(number)) }
        #expect(
            Hex.encode(bytes.bytes) == """
                0100000002616200000008fffffffffffffffe00000008000000000000000000000008000000000000000100000001070000000800\
                00000000000002000000080000000000000003000000080000000000000004
                """)
    }

    @Test("Different splits of the same text differ")
    func unambiguous() {
        func bytes(_ texts: String...) -> [UInt8] {
            var bytes = CanonicalBytes(version: 1)
            texts.forEach { bytes.append($0) }
            return bytes.bytes
        }
        #expect(bytes("ab", "c") != bytes("a", "bc"))
        #expect(bytes("abc") != bytes("abc", ""))
    }

    /// Computed with Python: `sha256(b"\x01" + bytes(32) + b"abc")`, and so on.
    @Test("Each link hashes 0x01, the link before and the row")
    func links() {
        var chain = HashChain()
        let first = chain.append(Array("abc".utf8))
        #expect(Hex.encode(first) == "eb6c7edb666609eff0bb948c83ca34fa33b387e154fe93ea6dd84e0cca913b08")
        let second = chain.append([])
        #expect(Hex.encode(second) == "a001027001020e78ea11747d3862d98892d0970f374fca4c2d506d7c35c5a1dd")
        #expect(chain.head == second)
        var resumed = HashChain(head: first)
        let again = resumed.append([])
        #expect(again == second)
    }

    /// Rebuilt from the description in ``CanonicalBytes`` with Python.
    @Test("A row's link never changes")
    func goldenRow() throws {
        let first = try #require(VersionRegistry.known[RowVersions(reader: 1, rules: 1, layout: 1)])
        var book = PartitionBook(partition: Shop.partition)
        let row = try #require(
            book.append(ReadRecord(History().offer(1, try Shop.totals()).record(at: 0), by: first)))
        #expect(
            Hex.encode(SHA256.hash(RowLayout.v1.bytes(row.content)))
                == "5de6ea0b835cb5117a61af91c8f752c697eee6283338bc1635f100c27551f0b2")
        #expect(Hex.encode(row.hash) == "b9ec302cf74910fe357fcaffd4b9a71606eeb9d10a9d01088dfbb6424c3697f4")
    }
}
