import Contracts
import KafkaBridge
import Ledger
import LedgerFixtures
import OrchardHTTPTypes
import OrchardJSON
import OrchardPostgres
import OrchardServiceKit
import Testing

@testable import OrderLedger

@Suite("Attempts that token-ingest rejected")
struct AttemptTests {
    @Test("are stored once, counted in the order's view, and not in the books")
    func kept() async throws {
        try await TestShop.with { shop in
            let order = try await shop.open()
            let store = AttemptStore(database: shop.ledger.database)
            let records = [attempt(of: order, 1), attempt(of: order, 2, stage: "amount"), attempt(of: order, 1)]
                .enumerated().map { $1.record(at: Int64($0)) }
            let first = try await store.process(records, of: order.partition)
            #expect(first == AttemptStore.Outcome(recorded: 2, ignored: 1))
            // A second record with another reason: the first one stays.
            let again = attempt(of: order, 1, stage: "time").record(at: 3)
            #expect(try await store.process([again], of: order.partition) == AttemptStore.Outcome(ignored: 1))
            let view = try await shop.send(.get, "/v1/orders/\(order.id)").json
            #expect(view["rejectedAttempts"]?.integer == 2)
            #expect(view["payments"]?.array?.isEmpty == true)
            #expect(try await count(shop.ledger, "ledger.facts") == 0)
        }
    }

    @Test("of unknown orders or of another merchant's orders are ignored")
    func foreign() async throws {
        try await TestShop.with { shop in
            let order = try await shop.open()
            let strangers = [
                rejected(Shop.orderID(99), order.history.merchant, 1), rejected(order.id, Shop.otherMerchant, 2),
            ].enumerated().map { $1.record(at: Int64($0)) }
            let store = AttemptStore(database: shop.ledger.database)
            #expect(try await store.process(strangers, of: order.partition) == AttemptStore.Outcome(ignored: 2))
            #expect(try await count(shop.ledger, "ledger.attempts") == 0)
        }
    }

    @Test("are limited for each order")
    func bounded() async throws {
        try await TestShop.with { shop in
            let order = try await shop.open()
            let store = AttemptStore(database: shop.ledger.database)
            for batch in Int64(0)..<4 {
                let records = (0..<Int64(500)).map { number in
                    PaymentRejected(
                        order: order.id, merchant: order.history.merchant,
                        attempt: AttemptID(order: order.id, body: Array("\(batch)/\(number)".utf8)), stage: "parse",
                        reason: "tokenMalformed"
                    ).record(at: batch * 500 + number)
                }
                _ = try await store.process(records, of: order.partition)
            }
            #expect(try await count(shop.ledger, "ledger.attempts") == Int64(AttemptStore.maximum))
        }
    }

    @Test("may be any bytes: foreign records are counted, and processing continues")
    func anyBytes() async throws {
        try await TestShop.with { shop in
            let order = try await shop.open()
            let store = AttemptStore(database: shop.ledger.database)
            let good = attempt(of: order, 1)
            var records = Self.hostile(good.record(at: 0))
            var random = SplitMix64(seed: 7)
            for _ in 0..<2_000 { records.append(good.record(at: 0).mutated(&random)) }
            for index in records.indices { records[index].offset = Int64(index) }
            for start in stride(from: 0, to: records.count, by: 100) {
                _ = try await store.process(
                    Array(records[start..<min(start + 100, records.count)]), of: order.partition)
            }
            let last = attempt(of: order, 2).record(at: Int64(records.count))
            #expect(try await store.process([last], of: order.partition).recorded == 1)
            let report = try await shop.ledger.audit()
            #expect(report.errors == 0, "\(report)")
        }
    }

    @Test("are deleted after 30 days by the service's own role, which can delete no younger ones")
    func pruned() async throws {
        try await TestLedger.with { ledger in
            let ages = [(29, 1), (31, AttemptPruning.portion + 5)]
            for (days, count) in ages {
                try await ledger.owner.execute(
                    """
                    INSERT INTO ledger.attempts (partition, order_id, attempt_id, stage, reason, recorded_at)
                    SELECT 0, md5($1::text)::uuid, md5(n::text)::uuid, 'parse', 'tokenMalformed',
                        now() - make_interval(days => $1::integer) FROM generate_series(1, $2::integer) AS n
                    """, [Int32(days), Int32(count)])
            }
            let error = await #expect(throws: PostgresError.self) {
                try await ledger.database.withConnection { _ = try await $0.execute("DELETE FROM ledger.attempts") }
            }
            #expect(error?.sqlState == "42501")
            try await AttemptPruning(database: ledger.database, logger: Logger(label: "test")).prune()
            let left = try await ledger.owner.query(
                "SELECT count(*) AS n, bool_and(order_id = md5('29')::uuid) AS is_young FROM ledger.attempts")
            #expect(try left[0].int("n") == 1 && left[0].bool("is_young"))
        }
    }

    @Test("are read from the stored offset, or from the log's beginning when that offset is not usable")
    func places() async throws {
        try await TestLedger.with { ledger in
            let store = AttemptStore(database: ledger.database)
            let log: [Int32: Watermarks] = [0: Watermarks(low: 5, high: 50), 1: Watermarks(low: 0, high: 0)]
            #expect(try await store.places.starts(log, clusterID: "a") == [0: 5, 1: 0])
            let record = rejected(Shop.order, Shop.otherMerchant, 1).record(at: 20)
            _ = try await store.process([record], of: 0)
            #expect(try await store.places.starts(log, clusterID: "a") == [0: 21, 1: 0])
            // Below the log, beyond it, and of another cluster.
            #expect(try await store.places.starts([0: Watermarks(low: 30, high: 50)], clusterID: "a") == [0: 30])
            #expect(try await store.places.starts([0: Watermarks(low: 0, high: 9)], clusterID: "a") == [0: 0])
            _ = try await store.process([record], of: 0)
            #expect(try await store.places.starts([0: Watermarks(low: 0, high: 50)], clusterID: "b") == [0: 0])
        }
    }

    private func attempt(of order: TestShop.Opened, _ seed: UInt8, stage: String = "signature") -> PaymentRejected {
        rejected(order.id, order.history.merchant, seed, stage: stage)
    }

    private func rejected(
        _ order: OrderID, _ merchant: MerchantID, _ seed: UInt8, stage: String = "signature"
    ) -> PaymentRejected {
        PaymentRejected(
            order: order, merchant: merchant, attempt: AttemptID(hash: [UInt8](repeating: seed, count: 32)),
            stage: stage, reason: "signatureWrong")
    }

    private func count(_ ledger: TestLedger, _ table: String) async throws -> Int64 {
        try await ledger.owner.query("SELECT count(*) AS n FROM \(table)")[0].int64("n")
    }

    private static func hostile(_ good: KafkaRecord) -> [KafkaRecord] {
        let values = [
            "", "{", "null", "[]", "{\"x\\u0000y\":01}", String(repeating: "[", count: 10_000),
            String(decoding: good.value, as: UTF8.self).replacing("signature", with: "a\\u0000b"),
            String(decoding: good.value, as: UTF8.self).replacing("signature", with: "4111111111111111"),
            "{\"\(String(repeating: "n", count: 100_000))\":1}",
        ]
        var records = values.map { value in
            var record = good
            record.value = Array(value.utf8)
            return record
        }
        for name in good.headers.map(\.name) {
            for bytes in [[], [0], [0xFF, 0xFE], [UInt8](repeating: 0x41, count: 100_000)] {
                var record = good
                record.headers = good.headers.map { $0.name == name ? KafkaHeader(name, bytes) : $0 }
                records.append(record)
            }
        }
        var bare = good
        (bare.headers, bare.key) = ([], nil)
        return records + [bare]
    }
}

extension PaymentRejected {
    fileprivate func record(at offset: Int64) -> KafkaRecord {
        let event = CloudEvent(self, source: "/token-ingest", time: Timestamp(seconds: 1_700_000_000))
        return KafkaRecord(
            topicPartition: TopicPartition(Topic.attempts.name, Shop.partition), offset: offset, timestamp: 0,
            key: event.key, value: event.data, headers: event.headers.map { KafkaHeader($0.name, $0.value) })
    }
}

extension KafkaRecord {
    /// The record with some bytes changed, inserted or removed.
    fileprivate func mutated(_ random: inout SplitMix64) -> KafkaRecord {
        var record = self
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let place = Int.random(in: 0..<max(record.value.count, 1), using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0 where place < record.value.count: record.value[place] = UInt8.random(in: 0...255, using: &random)
            case 1 where place < record.value.count: record.value.remove(at: place)
            default: record.value.insert(UInt8.random(in: 0...255, using: &random), at: place)
            }
        }
        return record
    }
}
