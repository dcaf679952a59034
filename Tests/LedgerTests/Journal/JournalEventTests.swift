import Contracts
import LedgerFixtures
import Testing

@testable import Ledger

@Suite("Reading a record")
struct JournalEventTests {
    private func good() throws -> JournalRecord { History().offer(1, try Shop.totals()).record(at: 5) }

    @Test("A record of ours is read")
    func readable() throws {
        let event = try JournalEvent(try good())
        #expect(event.fact == History().offer(1, try Shop.totals()))
        #expect(event.position.offset == 5)
    }

    @Test(
        "What is no fact of ours says why",
        arguments: [
            ("ce_id", "0190a0b0c0d0e0f00102030405060708", UnreadableRecord.Code.identity),
            ("ce_subject", "0190a0b0c0d0e0f00102030405060708", .identity),
            ("ce_type", "orchard.order.exploded.v1", .unknownType),
            ("ce_type", "orchard.order.closed.v1", .data),
            ("ce_specversion", "0.3", .envelope),
            ("ce_time", "yesterday", .envelope),
            ("ce_source", nil, .envelope),
        ] as [(String, String?, UnreadableRecord.Code)])
    func unreadable(_ name: String, _ value: String?, _ code: UnreadableRecord.Code) throws {
        let record = try good()
        let headers = record.headers.compactMap { header -> JournalRecord.Header? in
            guard header.name == name else { return header }
            return value.map { JournalRecord.Header(name: name, value: Array($0.utf8)) }
        }
        let changed = JournalRecord(
            position: record.position, key: record.key, headers: headers, value: record.value)
        let error = #expect(throws: UnreadableRecord.self) { try JournalEvent(changed) }
        #expect(error?.code == code)
    }

    @Test("A key that is not the order's is refused")
    func foreignKey() throws {
        let record = try good()
        let changed = JournalRecord(
            position: record.position, key: Array("other".utf8), headers: record.headers, value: record.value)
        let error = #expect(throws: UnreadableRecord.self) { try JournalEvent(changed) }
        #expect(error?.code == .identity)
    }

    @Test("A reason never quotes the record")
    func silentReasons() throws {
        let record = try good()
        let changed = JournalRecord(
            position: record.position, key: record.key, headers: record.headers,
            value: Array(#"{"orderId":"4111111111111111"}"#.utf8))
        let error = #expect(throws: UnreadableRecord.self) { try JournalEvent(changed) }
        #expect(error?.description.contains("4111") == false)
    }
}
