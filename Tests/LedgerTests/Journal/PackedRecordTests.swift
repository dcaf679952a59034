import LedgerFixtures
import OrchardCompression
import OrchardCrypto
import Testing

@testable import Ledger

@Suite("Packed records")
struct PackedRecordTests {
    private static let place = JournalPosition(partition: 3, offset: 7)

    private static func record(_ packed: [UInt8]?, at place: JournalPosition = place) -> JournalRecord? {
        packed.flatMap { JournalRecord(position: place, packed: $0.span) }
    }

    @Test("are the record again, byte for byte: every kind of fact, and what is none")
    func same() throws {
        var (whole, packed) = (0, 0)
        for record in try GoldenJournal.day() {
            let bytes = try #require(record.packed)
            #expect(Self.record(bytes, at: record.position) == record)
            whole += record.content.count
            packed += bytes.count
        }
        #expect(packed * 3 < whole, "a dictionary that fits makes them much smaller")
    }

    @Test(
        "keep what differs: no key, an empty one, no header, names that repeat, no value",
        arguments: [
            JournalRecord(position: place, key: nil, headers: [], value: []),
            JournalRecord(position: place, key: [], headers: [], value: [0]),
            JournalRecord(
                position: place, key: [1, 2], headers: [.init(name: "a", value: []), .init(name: "a", value: [0xFF])],
                value: [UInt8](repeating: 7, count: 60_000)),
        ])
    func odd(_ record: JournalRecord) {
        #expect(Self.record(record.packed) == record)
    }

    @Test("that were changed, or have another version's number, are none")
    func changed() throws {
        let record = try #require(try GoldenJournal.day().first)
        var packed = try #require(record.packed)
        #expect(Self.record([]) == nil)
        #expect(Self.record(packed.dropLast()) == nil)
        #expect(Self.record(packed + [0]) == nil)
        packed[0] = 2
        #expect(Self.record(packed) == nil)
        #expect(Self.record(RecordDictionary.v1.pack(record.content, number: 2)) == nil)
    }

    @Test("whose content is no record are none")
    func content() throws {
        let content = try #require(try GoldenJournal.day().first).content
        func record(_ content: [UInt8]) -> JournalRecord? {
            Self.record(RecordDictionary.v1.pack(content, number: RecordDictionary.v1Number))
        }
        #expect(record(content) != nil)
        for count in 0..<content.count { #expect(record(Array(content[..<count])) == nil) }
        #expect(record(content + [0]) == nil)
        // A count of keys and of headers that nothing could hold.
        var many = content
        many[5] = 0xFF
        #expect(record(many) == nil)
        let none = [0, 0, 0, 8] + [UInt8](repeating: 0, count: 8)
        #expect(record([1] + none + [0, 0, 0, 8] + [UInt8](repeating: 0xFF, count: 8)) == nil)
    }

    @Test("have at most 64 KB: a longer one is kept as it came, and one that says it is longer is none")
    func longest() throws {
        func record(_ count: Int) -> JournalRecord {
            JournalRecord(position: Self.place, key: nil, headers: [], value: [UInt8](repeating: 7, count: count))
        }
        let rest = JournalRecord.longestPacked - record(0).content.count
        #expect(Self.record(record(rest).packed) == record(rest))
        #expect(record(rest + 1).packed == nil)
        let long = RecordDictionary.v1.pack(record(rest + 1).content, number: RecordDictionary.v1Number)
        #expect(Self.record(long) == nil)
    }

    @Test("of a row that was written long ago are read for ever")
    func golden() throws {
        let record = try #require(try GoldenJournal.day().first)
        let row = try #require(
            Base64.decode(
                """
                ASi1L/1gvAGtAwBzgwjGu8MKl0/OJn8ImgQq8IWrTi00TU7NqobzaEGIDLo5CGALIfyra2OpVXG4lrbO9RutzymS5m\
                eFXH/bW1b0sRNXLl+5oKEuPRN2K7BmgCBxurjaoVoDYOsn48cnMbk5a3LGgE0VuKDDh3nSwuIvt7oqpwKOa7VZ
                """))
        #expect(Self.record(row, at: record.position) == record)
    }
}
