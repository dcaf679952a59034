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
        "A record that is not one of our facts is refused with the reason",
        arguments: [
            ("ce_id", "0190a0b0c0d0e0f00102030405060708", UnreadableRecord.Code.identity),
            ("ce_subject", "0190a0b0c0d0e0f00102030405060708", .identity),
            ("ce_type", "orchard.order.exploded.v1", .unknownType),
            ("ce_type", "orchard.order.closed.v1", .data),
            ("ce_specversion", "0.3", .envelope),
            ("ce_time", "yesterday", .envelope),
            ("ce_source", nil, .envelope),
            ("ce_source", "/token-ingest", .foreignSource),
            ("ce_source", "/charge-gateway", .foreignSource),
            ("ce_stream", nil, .foreignSource),
            ("ce_stream", "charge-gateway", .foreignSource),
            ("ce_streamseq", "0", .foreignSource),
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

    @Test("Each fact has one source; a record from another source books nothing, and the true record after it counts")
    func sources() throws {
        let history = History()
        let totals = try Shop.totals()
        let facts = [history.offer(1, totals)] + history.payment(amount: totals.amount, .accepted, .succeeded)
        #expect(facts.map(\.source) == [.orderLedger, .chargeGateway, .chargeGateway])
        #expect(history.closed(.cancelled).source == .chargeGateway)
        #expect(history.commandRejected(1).source == .chargeGateway)
        let records = facts.records()
        let paid = records[2]
        let forged = JournalRecord(
            position: JournalPosition(partition: Shop.partition, offset: 2), key: paid.key,
            headers: paid.headers.map {
                $0.name == "ce_source" ? .init(name: $0.name, value: Array("/order-ledger".utf8)) : $0
            }, value: paid.value)
        let published = JournalRecord(
            position: JournalPosition(partition: Shop.partition, offset: 3), key: paid.key, headers: paid.headers,
            value: paid.value)
        var book = PartitionBook(partition: Shop.partition)
        let rows = (records[..<2] + [forged, published]).compactMap { book.append($0) }
        #expect(rows.map(\.disposition) == [.applied, .applied, .unreadable, .applied])
        #expect(rows[2].faults.map(\.code) == ["foreignSource"] && rows[2].entries.isEmpty)
        #expect(rows[3].entries.map(\.kind) == [.sale])
    }

    @Test("A key that is not the order's is refused")
    func foreignKey() throws {
        let record = try good()
        let changed = JournalRecord(
            position: record.position, key: Array("other".utf8), headers: record.headers, value: record.value)
        let error = #expect(throws: UnreadableRecord.self) { try JournalEvent(changed) }
        #expect(error?.code == .identity)
    }

    @Test("A payment's operation is that of its order: money of one order cannot be published under another")
    func foreignOperation() throws {
        let amount = try Shop.totals().amount
        for (order, payment) in [(Shop.orderID(2), Shop.paymentID(1)), (Shop.order, Shop.paymentID(2))] {
            let fact = Fact.payment(
                PaymentFact(
                    order: Shop.order, merchant: History().merchant, payment: Shop.paymentID(1),
                    operation: OperationID(chargeOf: payment, order: order), transition: 1, revision: 1,
                    amount: amount, event: .accepted))
            let error = #expect(throws: UnreadableRecord.self) { try JournalEvent(fact.record(at: 5)) }
            #expect(error?.code == .identity)
        }
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
