import Contracts
import Foundation
import KafkaBridge
import KeyFiles
import Ledger
import LedgerFixtures
import OrchardCrypto
import OrchardHTTPTypes
import OrchardJOSE
import OrchardJSON
import OrchardPostgres
import OrchardServiceKit
import TestSupport
import Testing

@testable import OrderLedger

@Suite("The contact of an order")
struct ContactTests {
    @Test("is read by the shop when the order is paid: that of the payment that paid, and no other")
    func read() async throws {
        try await TestShop.with { shop in
            let contacts = try Contacts(shop)
            let order = try await shop.open()
            let payments = try order.history.payment(amount: Shop.totals().amount, .accepted, .succeeded)
            try await contacts.receive(order, contacts.paying(order), "Ada", at: 0)
            try await contacts.receive(order, PaymentID(hash: [UInt8](repeating: 9, count: 32)), "Mallory", at: 1)
            let early = try await contacts.show(order)
            #expect(early.status == .conflict)
            #expect(try early.json["code"]?.string == "order-unpaid")
            try await shop.journal(order, payments)
            let answer = try await contacts.show(order)
            #expect(answer.status == .ok, "\(answer.text)")
            #expect(answer.fields["Cache-Control"] == "no-store")
            #expect(try answer.json["shippingContact"]?["givenName"]?.string == "Ada")
            #expect(try answer.json["paymentId"]?.string == contacts.paying(order).description)
            #expect(try await contacts.show(order, bearer: Shop.readingKey).status == .forbidden)
            #expect(try await contacts.show(order, bearer: "other-key").status == .notFound)
            #expect(try await contacts.show(order, bearer: order.ticket).status == .unauthorized)
        }
    }

    @Test("is given to the shop whole: names with phonetics, telephone, e-mail, both addresses, and the invoice")
    func whole() async throws {
        try await TestShop.with { shop in
            let contacts = try Contacts(shop)
            let order = try await shop.open()
            let text = """
                {"billingContact":{"countryCode":"JP","familyName":"山田","phoneticFamilyName":"ヤマダ"},\
                "invoice":{"taxNumber":"91310000","title":"Orchard Ltd"},\
                "shippingContact":{"addressLines":["1 Nanjing Rd","3F"],"administrativeArea":"上海市","country":"中国",\
                "countryCode":"CN","emailAddress":"ada@tea.example","familyName":"Zhou","givenName":"Ada",\
                "locality":"上海市","phoneNumber":"13800138000","phoneticFamilyName":"ジョウ","phoneticGivenName":"エイダ",\
                "postalCode":"200001","subAdministrativeArea":"黄浦","subLocality":"外滩"}}
                """
            let contact = try OrderContact(parsing: Array(text.utf8))
            try await contacts.receive(order, contacts.paying(order), contact, at: 0)
            try await shop.journal(
                order, order.history.payment(amount: Shop.totals().amount, .accepted, .succeeded))
            let answer = try await contacts.show(order).json
            let sent = try JSONValue(parsing: Array(text.utf8))
            for name in ["billingContact", "invoice", "shippingContact"] {
                #expect(answer[name] != nil && answer[name] == sent[name], "\(name)")
            }
        }
    }

    @Test("stays the first one of a payment, however often it comes")
    func once() async throws {
        try await TestShop.with { shop in
            let contacts = try Contacts(shop)
            let order = try await shop.open()
            #expect(try await contacts.receive(order, contacts.paying(order), "Ada", at: 0).stored == 1)
            #expect(try await contacts.receive(order, contacts.paying(order), "Mallory", at: 1).ignored == 1)
            #expect(try await contacts.names() == ["Ada"])
        }
    }

    @Test("is limited in number for an order, and may be any bytes")
    func hostile() async throws {
        try await TestShop.with { shop in
            let contacts = try Contacts(shop)
            let order = try await shop.open()
            for number in UInt8(0)..<30 {
                let payment = PaymentID(hash: [UInt8](repeating: number, count: 32))
                _ = try await contacts.receive(order, payment, "Ada", at: Int64(number))
            }
            #expect(try await contacts.names().count == ContactStore.maximum)
            let good = try contacts.record(order, contacts.paying(order), Contacts.named("Ada"), at: 40)
            var others = ["", "{", "null", String(repeating: "[", count: 10_000)].map { value in
                var record = good
                record.value = Array(value.utf8)
                return record
            }
            // Sealed for another payment, changed, and with a claimed order that is not the record's.
            let sealed = try contacts.seal(
                PaymentID(hash: [UInt8](repeating: 99, count: 32)), order.id, Contacts.named("Eve"))
            for text in [sealed, sealed + "A", "a.b.c.d.e", ""] {
                var record = good
                record.value =
                    ContactReceived(
                        order: order.id, merchant: order.history.merchant, payment: contacts.paying(order),
                        sealedContact: text
                    ).json
                others.append(record)
            }
            for index in others.indices { others[index].offset = 50 + Int64(index) }
            let outcome = try await contacts.store.process(others, of: order.partition)
            #expect(outcome == ContactStore.Outcome(unreadable: others.count))
        }
    }

    @Test("is erased for ever by the shop; re-reading the topic brings nothing back")
    func erased() async throws {
        try await TestShop.with { shop in
            let contacts = try Contacts(shop)
            let order = try await shop.open()
            try await contacts.receive(order, contacts.paying(order), "Ada", at: 0)
            let early = try await contacts.erase(order)
            #expect(try early.status == .conflict && early.json["code"]?.string == "order-open")
            try await shop.journal(order, order.history.payment(amount: Shop.totals().amount, .accepted, .succeeded))
            #expect(try await contacts.erase(order, bearer: Shop.readingKey).status == .forbidden)
            #expect(try await contacts.erase(order, bearer: "other-key").status == .notFound)
            #expect(try await contacts.names() == ["Ada"])
            #expect(try await contacts.erase(order).status == .noContent)
            #expect(try await contacts.erase(order).status == .noContent, "again")
            let answer = try await contacts.show(order)
            #expect(try answer.status == .gone && answer.json["code"]?.string == "contact-erased")
            #expect(try await contacts.receive(order, contacts.paying(order), "Ada", at: 0).ignored == 1)
            #expect(try await contacts.names().isEmpty)
            let published = try await shop.ledger.owner.query(
                "SELECT value FROM ledger.outbox WHERE topic = $1", [Topic.erasures.name])
            #expect(try published.map { try ContactErased(parsing: $0.bytes("value")).order } == [order.id])
        }
    }

    @Test(
        "of a token that did not pay goes when the order has ended; the paying one after the merchant's days",
        arguments: [("", Int64(180)), (#""contactRetentionDays": 7,"#, 7)])
    func retention(_ setting: String, _ days: Int64) async throws {
        try await TestShop.with { shop in
            var contacts = try Contacts(shop)
            contacts.registry = try MerchantRegistry(
                parsing: Array(
                    Shop.registryJSON.replacing(
                        #""displayName": "Orchard Tea","#, with: #""displayName": "Orchard Tea", \#(setting)"#
                    ).utf8))
            let order = try await shop.open()
            try await contacts.receive(order, contacts.paying(order), "Ada", at: 0)
            try await contacts.receive(order, PaymentID(hash: [UInt8](repeating: 9, count: 32)), "Mallory", at: 1)
            let start = Timestamp.now
            try await contacts.check(at: start + .seconds(61))
            #expect(try await contacts.names() == ["Ada", "Mallory"], "the order is open")
            try await shop.journal(order, order.history.payment(amount: Shop.totals().amount, .accepted, .succeeded))
            try await contacts.check(at: start + .seconds(3_600))
            #expect(try await contacts.names() == ["Ada"])
            for day in stride(from: Int64(0), to: days - 1, by: days < 30 ? 1 : 10) {
                try await contacts.check(at: contacts.received + .seconds(day * 86_400))
            }
            #expect(try await contacts.names() == ["Ada"])
            try await contacts.check(at: contacts.received + .seconds(days * 86_400 + 1))
            #expect(try await contacts.names().isEmpty)
        }
    }

    @Test("is erased though the row of another one is damaged, which is told and waits for a person")
    func damaged() async throws {
        try await TestShop.with { shop in
            let contacts = try Contacts(shop)
            let orders = [try await shop.open(), try await shop.open()]
            for (order, name) in zip(orders, ["Ada", "Eve"]) {
                try await contacts.receive(order, contacts.paying(order), name, at: order.id == orders[0].id ? 0 : 1)
                try await shop.journal(order, [order.history.closed(.cancelled)])
            }
            try await shop.ledger.owner.execute(
                "UPDATE ledger.contacts SET received_at = 'infinity' WHERE order_id = $1", [orders[0].id])
            try await contacts.check(at: .now + .seconds(3_600))
            #expect(try await contacts.names() == ["Ada"])
            #expect(
                contacts.log.lines.filter { $0.level == .error }.map { $0.metadata["order_id"] } == [
                    orders[0].id.description
                ])
            try await shop.ledger.owner.execute("UPDATE ledger.contacts SET received_at = now()")
            try await contacts.check(at: .now + .seconds(7_200))
            #expect(try await contacts.names().isEmpty)
        }
    }

    @Test("is opened later when its key was missing")
    func sealed() async throws {
        try await TestShop.with { shop in
            var contacts = try Contacts(shop)
            let order = try await shop.open()
            let key = contacts.keys
            contacts.keys = try JWKSet([JWK(keyID: "other", privateKey: P256PrivateKey.generate())])
            let record = try contacts.record(order, contacts.paying(order), Contacts.named("Ada"), at: 0)
            #expect(
                try await contacts.store.process([record], of: order.partition)
                    == ContactStore.Outcome(stored: 1, sealed: 1))
            try await shop.journal(order, order.history.payment(amount: Shop.totals().amount, .accepted, .succeeded))
            let answer = try await contacts.show(order)
            #expect(try answer.status == .serviceUnavailable && answer.json["code"]?.string == "contact-sealed")
            try await contacts.check(at: .now + .seconds(61))
            #expect(try await contacts.show(order).status == .serviceUnavailable)
            contacts.keys = key
            try await contacts.check(at: .now + .seconds(600))
            #expect(try await contacts.show(order).json["shippingContact"]?["givenName"]?.string == "Ada")
        }
    }
}

/// A topic of contacts and a ledger that reads it.
private struct Contacts {
    let shop: TestShop
    let key: P256PrivateKey
    /// The keys that the ledger has.
    var keys: JWKSet
    var registry: MerchantRegistry
    let log = LogRecorder()
    /// When token-ingest received the contacts.
    let received = Timestamp.now

    init(_ shop: TestShop) throws {
        self.shop = shop
        registry = try #require(Shop.registry)
        key = try P256PrivateKey.generate()
        keys = try JWKSet([JWK(keyID: "c1", privateKey: key)])
    }

    var store: ContactStore {
        ContactStore(database: shop.ledger.database, decryptor: ContactDecryptor(keys: { [keys] in keys }))
    }

    func paying(_ order: TestShop.Opened) -> PaymentID { Shop.paymentID(1) }

    /// A contact that is a given name.
    static func named(_ name: String) -> OrderContact {
        var contact = PaymentContact()
        contact.givenName = name
        return OrderContact(shipping: contact)
    }

    func seal(_ payment: PaymentID, _ order: OrderID, _ contact: OrderContact) throws -> String {
        try JWE.seal(
            SecretBytes(copying: contact.json), to: key.publicKey, keyID: "c1", apu: payment.bytes, apv: order.bytes)
    }

    func record(
        _ order: TestShop.Opened, _ payment: PaymentID, _ contact: OrderContact, at offset: Int64
    ) throws -> KafkaRecord {
        let contact = ContactReceived(
            order: order.id, merchant: order.history.merchant, payment: payment,
            sealedContact: try seal(payment, order.id, contact))
        let event = CloudEvent(contact, source: "/token-ingest", time: received)
        return KafkaRecord(
            topicPartition: TopicPartition(Topic.contacts.name, order.partition), offset: offset, timestamp: 0,
            key: event.key, value: event.data, headers: event.headers.map { KafkaHeader($0.name, $0.value) })
    }

    @discardableResult
    func receive(
        _ order: TestShop.Opened, _ payment: PaymentID, _ name: String, at offset: Int64
    ) async throws -> ContactStore.Outcome {
        try await receive(order, payment, Self.named(name), at: offset)
    }

    @discardableResult
    func receive(
        _ order: TestShop.Opened, _ payment: PaymentID, _ contact: OrderContact, at offset: Int64
    ) async throws -> ContactStore.Outcome {
        try await store.process([record(order, payment, contact, at: offset)], of: order.partition)
    }

    func check(at time: Timestamp) async throws {
        try await ContactRetention(
            database: shop.ledger.database, decryptor: store.decryptor,
            registry: { [registry] in registry }, metrics: shop.ledger.metrics,
            logger: log.logger
        ).check(at: time)
    }

    func show(_ order: TestShop.Opened, bearer: String = Shop.apiKey) async throws -> HTTPResponse {
        try await shop.send(.get, "/v1/orders/\(order.id)/contact", bearer: bearer)
    }

    func erase(_ order: TestShop.Opened, bearer: String = Shop.apiKey) async throws -> HTTPResponse {
        try await shop.send(.delete, "/v1/orders/\(order.id)/contact", bearer: bearer)
    }

    /// The given names of the stored contacts.
    func names() async throws -> [String] {
        try await shop.ledger.owner.query("SELECT contact FROM ledger.contacts WHERE contact IS NOT NULL").compactMap {
            try OrderContact(parsing: Array($0.string("contact").utf8)).shipping?.givenName
        }.sorted()
    }
}
