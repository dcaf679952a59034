import Contracts
import FaultyServer
import KeyFiles
import Ledger
import LedgerFixtures
import OrchardCrypto
import OrchardHTTPClient
import OrchardJSON
import OrchardPostgres
import OrchardServiceKit
import Outbox
import TestSupport
import Testing

@testable import OrderLedger

/// A ledger that tells a shop's servers, at a time of the test's choice.
struct WebhookFixture: Sendable {
    let ledger: TestLedger
    let clients: WebhookClients
    let log = LogRecorder()
    private let clock = Locked(Timestamp.now + .seconds(10))
    private let targets = Locked<[WebhookTarget]>([])
    private let merchant = Locked<Merchant?>(nil)
    private let offset = Locked(Int64(0))
    /// Messages whose merchant was not known.
    let withoutMerchant = Locked<[WebhookMessage]>([])

    static let secret = HMACKey(SecretBytes(copying: [UInt8](repeating: 5, count: 32)))

    static func with(_ body: @Sendable (WebhookFixture) async throws -> Void) async throws {
        try await TestLedger.with { ledger in
            let clients = WebhookClients(logger: Logger(label: "test"), metrics: MetricsRegistry())
            let fixture = WebhookFixture(ledger: ledger, clients: clients)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for client in [clients.toAny, clients.toPublic] { group.addTask { try await client.run() } }
                defer { group.cancelAll() }
                try await body(fixture)
            }
        }
    }

    private init(ledger: TestLedger, clients: WebhookClients) {
        self.ledger = ledger
        self.clients = clients
    }

    var now: Timestamp { clock.withLock { $0 } }
    var store: WebhookStore { WebhookStore(database: ledger.database, logger: log.logger) }
    var merchantID: MerchantID { get throws { try #require(Shop.merchant).id } }

    func wait(_ duration: Duration) { clock.withLock { $0 = $0 + duration } }

    /// What `merchants.json` has from now on.
    ///
    /// - Parameter endpoints: their ids and addresses; all with the same secret.
    func configure(
        _ endpoints: [(id: String, url: String)], events: [WebhookEvent] = WebhookEvent.allCases,
        allowPrivateAddress: Bool = true, keys: [HMACKey] = [secret]
    ) throws {
        let words = events.map { "\"\($0.rawValue)\"" }.joined(separator: ",")
        let members = endpoints.map {
            #"{"id": "\#($0.id)", "url": "\#($0.url)", "secrets": ["s"], "events": [\#(words)], "allowPrivateAddress": true}"#
        }
        let json = Shop.registryJSON.replacing(
            #""origins":"#, with: #""webhooks": [\#(members.joined(separator: ","))], "origins":"#, maxReplacements: 1)
        let found = try #require(try MerchantRegistry(parsing: Array(json.utf8))[merchantID])
        merchant.withLock { $0 = found }
        targets.withLock {
            $0 = found.webhooks.map { endpoint in
                let own = WebhookEndpoint(
                    id: endpoint.id, url: endpoint.url, secrets: endpoint.secrets, events: endpoint.events,
                    allowPrivateAddress: allowPrivateAddress)
                return WebhookTarget(merchant: found.id, endpoint: own, keys: keys)
            }
        }
    }

    /// Another order of the shop, in the partition of the tests.
    func order(_ seed: Int) throws -> History {
        var number = UInt64(seed) << 32
        while true {
            let id = OrderID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0000 | number)
            if Partitioner.partition(of: id, among: Shop.partitions) == Shop.partition {
                var history = History(id)
                history.merchant = try merchantID
                return history
            }
            number += 1
        }
    }

    /// Folds facts as one batch, told now or at another time.
    func tell(_ facts: [Fact], at time: Timestamp? = nil) async throws {
        try await ledger.start()
        let first = offset.withLock { offset in
            defer { offset += Int64(facts.count) }
            return offset
        }
        let records = facts.enumerated().map { index, fact in
            fact.record(
                at: first + Int64(index), time: time ?? now - .seconds(1), sequence: first + Int64(index) + 1)
        }
        let writer = WebhookWriter(
            merchant: { [merchant] id in merchant.withLock { $0?.id == id ? $0 : nil } },
            now: { [clock] in clock.withLock { $0 } },
            merchantIsUnknown: { [withoutMerchant] message in withoutMerchant.withLock { $0.append(message) } })
        try await ledger.projection(webhooks: writer) { _ in }.apply(records, of: Shop.partition, from: first)
    }

    /// An order that is opened and paid.
    func pay(_ order: History) async throws {
        try await tell([order.offer(1, try Shop.totals())] + paying(order))
    }

    func paying(_ order: History, _ payment: PaymentID = Shop.paymentID(1)) throws -> [Fact] {
        order.payment(payment, amount: try Shop.totals().amount, .accepted, .succeeded)
    }

    func declining(_ order: History, _ payment: PaymentID = Shop.paymentID(9)) throws -> [Fact] {
        order.payment(payment, amount: try Shop.totals().amount, .accepted, .declined)
    }

    /// An instance of order-ledger.
    func worker() -> WebhookDelivery {
        var worker = WebhookDelivery(
            store: store, clients: clients, targets: { [targets] in targets.withLock { $0 } }, metrics: ledger.metrics,
            logger: log.logger)
        worker.now = { [clock] in clock.withLock { $0 } }
        worker.interval = .milliseconds(20)
        return worker
    }

    func sweep(_ readiness: Readiness = Readiness()) -> WebhookSweep {
        WebhookSweep(
            store: store, targets: { [targets] in targets.withLock { $0 } }, metrics: ledger.metrics,
            readiness: readiness, logger: log.logger)
    }

    /// Sends what may be sent now, until nothing may.
    func deliver() async throws {
        let worker = worker()
        while await worker.deliverDue() > 0 {}
    }

    /// How many stored messages are so.
    func count(_ condition: String = "true") async throws -> Int64 {
        try await ledger.owner.query("SELECT count(*) AS n FROM ledger.webhook_messages WHERE \(condition)")[0].int64(
            "n")
    }

    /// The stored messages of an order, the first one first.
    func messages(_ order: History, _ endpoint: String = "erp") async throws -> [WebhookList.Item] {
        try await WebhookList(connection: ledger.owner).all.filter {
            $0.order == order.order && $0.name.endpoint == endpoint
        }
    }
}

extension WebhookList {
    /// Every stored message.
    fileprivate var all: [Item] {
        get async throws {
            try await connection.query(
                """
                SELECT partition, order_id, endpoint, message_id, merchant_id, event, state, due_at, failures, reason, ended_at
                FROM ledger.webhook_messages ORDER BY "offset", line
                """
            ).map { try Item($0) }
        }
    }
}

/// A shop's server: what it received, and what it answers.
final class WebhookReceiver: Sendable {
    /// A request as it arrived.
    struct Request: Sendable {
        let fields: [String: String]
        let body: String

        init(_ text: String) {
            let parts = text.split(separator: "\r\n\r\n", maxSplits: 1)
            body = parts.count > 1 ? String(parts[1]) : ""
            fields = Dictionary(
                parts[0].split(separator: "\r\n").dropFirst().compactMap { line in
                    line.firstIndex(of: ":").map {
                        (line[..<$0].lowercased(), String(line[line.index($0, offsetBy: 2)...]))
                    }
                }
            ) { first, _ in first }
        }

        var id: String { fields["webhook-id"] ?? "" }
        var json: JSONValue { (try? JSONValue(parsing: Array(body.utf8))) ?? .null }
        var type: String { json["type"]?.string ?? "" }
        var order: String { json["data"]?["orderId"]?.string ?? "" }

        /// Whether one of its signatures is of this secret.
        func isSigned(by key: HMACKey) -> Bool {
            let content = Array("\(id).\(fields["webhook-timestamp"] ?? "").\(body)".utf8)
            let signature = "v1," + Base64.encode(key.authenticate(content))
            return (fields["webhook-signature"] ?? "").split(separator: " ").contains { $0 == signature }
        }
    }

    private let server: FaultyServer
    private let status = Locked<@Sendable (Request) -> String?>({ _ in "204 No Content" })

    init() throws {
        server = try FaultyServer { [status] peer, _ in
            while let text = peer.readRequest() {
                guard let status = status.withLock({ $0 })(Request(text)) else { return peer.waitForEnd() }
                peer.send("HTTP/1.1 \(status)\r\n" + (status.hasPrefix("204") ? "\r\n" : "Content-Length: 0\r\n\r\n"))
            }
        }
    }

    /// - Parameter status: the answer to a request; nil for none.
    func answer(_ status: @escaping @Sendable (Request) -> String?) { self.status.withLock { $0 = status } }

    var url: String { server.url + "orchard?shop=1" }
    var port: Int { server.port }
    var requests: [Request] { server.requests.map { Request($0) } }
}
