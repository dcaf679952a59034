import Testing

@testable import Ledger

@Suite("Stored records")
struct JournalRecordTests {
    private let record = JournalRecord(
        position: JournalPosition(partition: 2, offset: 40), key: nil,
        headers: [.init(name: "a", value: [1, 2]), .init(name: "a", value: []), .init(name: "ü", value: [0xff])],
        value: [9])

    @Test("Headers are read back byte for byte, also repeated and binary ones")
    func roundTrip() {
        let kept = JournalRecord(
            position: record.position, key: nil, headerBytes: record.headerBytes, value: record.value)
        #expect(kept == record)
        #expect(
            kept?.headers
                == [.init(name: "a", value: [1, 2]), .init(name: "a", value: []), .init(name: "ü", value: [0xff])])
    }

    @Test("Every cut of the header bytes is noticed")
    func cuts() {
        let whole = record.headerBytes
        for count in 0..<whole.count {
            #expect(
                JournalRecord(position: record.position, key: nil, headerBytes: Array(whole.prefix(count)), value: [])
                    == nil)
        }
        #expect(JournalRecord(position: record.position, key: nil, headerBytes: whole + [0], value: []) == nil)
        #expect(
            JournalRecord(position: record.position, key: nil, headerBytes: [2] + whole.dropFirst(), value: []) == nil)
    }
}
