import Contracts
import KeyFiles
import Ledger
import LedgerFixtures
import OrchardCrypto
import OrchardHTTPServer
import OrchardHTTPTypes
import OrchardJSON
import OrchardPostgres
import OrchardServiceKit
import TestSupport
import Testing

@testable import OrderLedger

/// The orders API on a test ledger, called without a socket, at a time of the test's choice.
struct TestShop: Sendable {
    let ledger: TestLedger
    let tickets: TicketIssuer
    let key: P256PrivateKey
    let statusChanges: OrderStatusChanges
    private(set) var api: OrdersAPI
    private(set) var router: Router
    private let clock: Locked<Timestamp>

    /// Runs `body` with a shop whose long polls are woken by the database.
    ///
    /// - Parameter longestSilence: the time after which a poll reads again by itself; by default never.
    static func with(
        longestSilence: Duration = .seconds(3_600), _ body: @Sendable (TestShop) async throws -> Void
    ) async throws {
        try await TestLedger.with { ledger in
            let listener = PostgresListener(
                ledger.service, channels: [OrderStatusChanges.channel], logger: Logger(label: "test"))
            let shop = try TestShop(ledger, listener, longestSilence)
            // The highest number that an instance of these tests is configured with.
            try await ledger.start(partitions: 16)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try? await listener.run() }
                group.addTask { try? await shop.statusChanges.run() }
                group.addTask { try? await ledger.statusChanges.run() }
                defer { group.cancelAll() }
                try await body(shop)
            }
        }
    }

    private init(_ ledger: TestLedger, _ listener: PostgresListener, _ longestSilence: Duration) throws {
        self.ledger = ledger
        let clock = Locked(Timestamp(seconds: 1_700_000_000))
        self.clock = clock
        let key = try P256PrivateKey.generate()
        self.key = key
        let keys = TicketKeys(
            signer: TicketSigner(keyID: "k1", key: key), verifier: TicketVerifier(keys: ["k1": key.publicKey]))
        tickets = TicketIssuer(keys: { keys }, lifetime: .seconds(600), now: { clock.withLock { $0 } })
        statusChanges = OrderStatusChanges(
            listener: listener, database: ledger.database, waiting: ledger.metrics.longPolls,
            longestSilence: longestSilence)
        api = try Self.api(ledger, tickets, statusChanges, clock, partitions: 4)
        router = api.router
    }

    /// The API of an instance that is configured with a number of partitions.
    private static func api(
        _ ledger: TestLedger, _ tickets: TicketIssuer, _ statusChanges: OrderStatusChanges, _ clock: Locked<Timestamp>,
        partitions: Int32, limit: Int = 0
    ) throws -> OrdersAPI {
        OrdersAPI(
            database: ledger.database, registry: { [registry = try #require(Shop.registry)] in registry },
            missingMerchants: MissingMerchants(
                path: "merchants.json", prefix: "order_ledger", metrics: MetricsRegistry(), readiness: Readiness()),
            tickets: tickets,
            limits: RequestLimits(
                keys: RateLimiter(of: .key, rate: limit, metrics: MetricsRegistry()),
                tickets: RateLimiter(of: .ticket, rate: limit, metrics: MetricsRegistry())),
            offers: OfferStore(outbox: LedgerSchema.outbox), statusChanges: statusChanges, metrics: ledger.metrics,
            logger: Logger(label: "api", level: .critical), partitions: partitions,
            now: { clock.withLock { $0 } })
    }

    /// Another instance of the service on the same database, with a setting of its own.
    ///
    /// - Parameter limit: requests a second of a caller; 0 for no limit.
    func instance(partitions: Int32 = 4, limit: Int = 0) throws -> TestShop {
        var instance = self
        instance.api = try Self.api(ledger, tickets, statusChanges, clock, partitions: partitions, limit: limit)
        instance.router = instance.api.router
        return instance
    }

    func wait(_ duration: Duration) { clock.withLock { $0 = $0 + duration } }

    /// Returns when a long poll waits for news.
    func untilPollWaits() async throws {
        try await eventually { ledger.metrics.longPolls.value >= 1 }
    }

    /// Sends a request; a problem is an answer like any other.
    func send(
        _ method: HTTPMethod, _ target: String, bearer: String? = Shop.apiKey, body: [UInt8]? = nil,
        fields: HTTPFields = [:]
    ) async throws -> HTTPResponse {
        var fields = fields
        if let bearer { fields["Authorization"] = "Bearer \(bearer)" }
        if body != nil, fields["Content-Type"] == nil { fields["Content-Type"] = "application/json" }
        let request = HTTPRequest(method: method, target: target, fields: fields, body: body ?? [])
        var response: HTTPResponse
        do { response = try await router.respond(to: request) } catch let problem as Problem {
            response = .problem(problem)
        }
        // The server adds it.
        response.fields["X-Request-Id"] = "1"
        let fault = try await Descriptions.fault(of: response, to: request, by: "order-ledger")
        #expect(fault == "")
        return response
    }

    /// An order of the merchant, opened through the API.
    func open(_ request: OfferRequest = Shop.request) async throws -> Opened {
        let response = try await send(.post, "/v1/orders", body: request.json)
        #expect(response.status == .created, "\(response.text)")
        let json = try response.json
        return Opened(
            id: try #require(json["orderId"]?.string.flatMap { OrderID($0) }),
            ticket: try #require(json["ticket"]?.string), answer: json)
    }

    struct Opened: Sendable {
        let id: OrderID
        let ticket: String
        let answer: JSONValue

        var partition: Int32 { Partitioner.partition(of: id, among: 4) }
        var history: History {
            var history = History(id)
            history.merchant = Shop.merchant?.id ?? history.merchant
            return history
        }
    }

    /// Passes the facts in the outbox that are not yet folded through the journal, then `more`.
    func journal(_ order: Opened, _ more: [Fact] = []) async throws {
        let rows = try await ledger.owner.query(
            "SELECT headers, value FROM ledger.outbox WHERE partition = $1 AND topic = $2 ORDER BY position",
            [order.partition, Topic.journal.name])
        let published = try rows.map { row in
            try Fact(type: Self.type(in: row.string("headers")), value: row.bytes("value"))
        }
        try await ledger.start()
        let next = try await ledger.owner.query(
            "SELECT next_offset FROM ledger.inbox_watermarks WHERE partition = $1", [order.partition]
        )[0].int64("next_offset")
        try await ledger.fold(published + more, from: next, partition: order.partition)
    }

    private static func type(in lines: String) -> String {
        let line = lines.split(separator: "\n").first { $0.hasPrefix("ce_type: ") }
        return line.map { String($0.dropFirst("ce_type: ".count)) } ?? ""
    }
}

extension HTTPResponse {
    var text: String { String(decoding: body, as: UTF8.self) }
    var json: JSONValue { get throws { try JSONValue(parsing: body) } }
}
