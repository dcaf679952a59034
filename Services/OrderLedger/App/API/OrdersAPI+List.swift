import Contracts
import Ledger
import OrchardHTTPServer
import OrchardHTTPTypes
import OrchardJSON
import OrchardPostgres
import Outbox

extension OrdersAPI {
    /// `GET /v1/orders?status=&amount=&lastFour=&reference=&from=&to=&limit=&after=`: a merchant's orders, the newest first.
    ///
    /// `next` in the answer is the `after` of the next page. With `status`, `amount` or `lastFour` a page may have fewer
    /// orders than `limit`: they are chosen among so many orders, so that a rare one costs no long search.
    func listOrders(_ request: HTTPRequest, _ parameters: RouteParameters) async throws -> HTTPResponse {
        let (merchant, _) = try authenticator.merchant(request, .read)
        let query = try OrderListQuery(request)
        let rows = try await database.withConnection { connection in
            if let reference = query.reference {
                return try await Self.orders(of: merchant.id, reference: reference, query.limit, on: connection)
            }
            return try await Self.orders(of: merchant.id, query, on: connection)
        }
        let orders = try rows.map { try ListedOrder($0) }
        let isFull = query.reference == nil && rows.count == query.limit
        return .json(
            JSONWriter.object { object in
                if isFull, let last = orders.last { object.member("next", last.cursor.description) }
                object.array("orders") { array in
                    for order in orders where query.includes(order) {
                        array.object { order.write(to: &$0) }
                    }
                }
            })
    }

    /// The status, the card and the price of each order of `d`: of its final lines, else of the offer that was paid; before
    /// payment, of the newest.
    static let details = """
        LEFT JOIN LATERAL (
            SELECT status, paid_payment, final_revision FROM ledger.orders AS o
            WHERE o.partition = d.partition AND o.order_id = d.order_id OFFSET 0) AS o ON true
        LEFT JOIN LATERAL (
            SELECT revision, network, last_four FROM ledger.payments AS p
            WHERE p.partition = d.partition AND p.order_id = d.order_id AND p.payment_id = o.paid_payment
            OFFSET 0) AS p ON true
        CROSS JOIN LATERAL (
            SELECT revision, total FROM ledger.order_offers AS f
            WHERE f.partition = d.partition AND f.order_id = d.order_id AND f.revision = o.final_revision
            UNION ALL SELECT revision, total FROM ledger.offers AS f
            WHERE f.partition = d.partition AND f.order_id = d.order_id AND o.final_revision IS NULL
                AND f.revision = coalesce(p.revision, d.revision)
            OFFSET 0) AS f
        """

    private static func orders(
        of merchant: MerchantID, _ query: OrderListQuery, on connection: PostgresConnection
    ) async throws -> [PostgresRow] {
        try await connection.query(
            """
            SELECT d.order_id, d.created_at, d.reference, f.revision, d.request, f.total, coalesce(o.status, 'open') AS status,
                p.network, p.last_four
            FROM (SELECT partition, order_id, created_at, reference, revision, request FROM ledger.offered_orders
                WHERE merchant_id = $1 AND (created_at, order_id) < ($2, $3) AND created_at >= $4
                ORDER BY created_at DESC, order_id DESC LIMIT $5) AS d
            \(Self.details)
            ORDER BY d.created_at DESC, d.order_id DESC
            """,
            [merchant, query.after.time.postgres, query.after.order, query.from.postgres, Int64(query.limit)])
    }

    private static func orders(
        of merchant: MerchantID, reference: String, _ limit: Int, on connection: PostgresConnection
    ) async throws -> [PostgresRow] {
        try await connection.query(
            """
            SELECT d.order_id, d.created_at, d.reference, f.revision, d.request, f.total, coalesce(o.status, 'open') AS status,
                p.network, p.last_four
            FROM (SELECT partition, order_id, created_at, reference, revision, request FROM ledger.offered_orders
                WHERE merchant_id = $1 AND reference = $2 ORDER BY created_at DESC LIMIT $3) AS d
            \(Self.details)
            ORDER BY d.created_at DESC, d.order_id DESC
            """, [merchant, reference, Int64(limit)])
    }
}

/// What a shop asks of the list of its orders.
private struct OrderListQuery {
    var status: OrderStatus?
    /// Decimal, in the order's own currency.
    var amount: String?
    /// Of the card that paid.
    var lastFour: String?
    var reference: String?
    var from = Timestamp(seconds: 0)
    var after = OrderCursor.newest
    var limit = 50

    static let maximum = 200

    init(_ request: HTTPRequest) throws(Problem) {
        guard let pairs = request.query else { throw Self.wrong("", "the query cannot be decoded") }
        for (name, value) in pairs {
            switch name {
            case "amount":
                guard value.utf8.count <= 20, value.wholeMatch(of: #/[0-9]+(\.[0-9]+)?/#) != nil else {
                    throw Self.wrong(name, "an amount as in 109.00 is expected")
                }
                amount = value
            case "after":
                guard let cursor = OrderCursor(value) else {
                    throw Self.wrong(name, "send the next of an earlier answer")
                }
                after = cursor
            case "from": from = try Self.time(name, value)
            case "to":
                if after == .newest { after = OrderCursor(time: try Self.time(name, value), order: OrderCursor.first) }
            case "limit":
                guard let number = Int(value), (1...Self.maximum).contains(number) else {
                    throw Self.wrong(name, "a number from 1 to \(Self.maximum) is expected")
                }
                limit = number
            case "lastFour":
                guard value.utf8.count == 4, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
                    throw Self.wrong(name, "four digits are expected")
                }
                lastFour = value
            case "reference":
                guard (1...64).contains(value.utf8.count) else { throw Self.wrong(name, "1 to 64 bytes are expected") }
                reference = value
            case "status":
                guard let status = OrderStatus(rawValue: value) else {
                    let known = OrderStatus.allCases.map(\.rawValue).joined(separator: ", ")
                    throw Self.wrong(name, "a status is one of \(known)")
                }
                self.status = status
            default: throw Self.wrong(name, "there is no such filter")
            }
        }
    }

    /// Whether an order of the page is wanted.
    func includes(_ order: ListedOrder) -> Bool {
        (status.map { $0 == order.status } ?? true) && (amount.map { $0 == order.total.decimal } ?? true)
            && (lastFour.map { $0 == order.card?.lastFour } ?? true)
    }

    private static func time(_ name: String, _ value: String) throws(Problem) -> Timestamp {
        guard let time = Timestamp(rfc3339: value) else {
            throw wrong(name, "a time as in 2026-11-25T08:00:00Z is expected")
        }
        return time
    }

    private static func wrong(_ name: String, _ detail: String) -> Problem {
        Problem(.badRequest, code: "bad-query", detail: detail, members: ["field": .string(name)])
    }
}

/// A place in the list of a merchant's orders.
private struct OrderCursor: Hashable, CustomStringConvertible {
    let time: Timestamp
    let order: OrderID

    /// The lowest name of an order.
    static let first = OrderID(bytes: [UInt8](repeating: 0, count: 16)) ?? OrderID(hash: [])
    /// Before the newest order.
    static let newest = OrderCursor(time: Timestamp(seconds: 253_402_300_799), order: first)

    init(time: Timestamp, order: OrderID) {
        self.time = time
        self.order = order
    }

    init?(_ text: String) {
        let parts = text.split(separator: "-", maxSplits: 1)
        guard parts.count == 2, let microseconds = Int64(parts[0]),
            (0...Self.newest.time.microseconds).contains(microseconds), let order = OrderID(String(parts[1]))
        else { return nil }
        self.init(time: Timestamp(microseconds: microseconds), order: order)
    }

    var description: String { "\(time.microseconds)-\(order)" }
}

/// An order of the list.
private struct ListedOrder {
    let cursor: OrderCursor
    let status: OrderStatus
    private let revision: Int64
    let total: Money
    /// What paid the order.
    let card: (network: CardNetwork, lastFour: String)?
    private let request: OfferRequest

    init(_ row: PostgresRow) throws {
        cursor = OrderCursor(time: try row.time("created_at"), order: try row.identifier("order_id"))
        status = try row.word("status")
        revision = try row.int64("revision")
        let text = try row.bytes("request")
        do throws(JSONError) { request = try OfferRequest(parsing: text) } catch {
            throw StoreError(.malformed, at: "offered_orders.request", error.description)
        }
        total = Money(minorUnits: try row.int64("total"), currency: request.currency)
        let network = try row.optionalWord("network", as: CardNetwork.self)
        card = try network.map { ($0, try row.string("last_four")) }
    }

    func write(to object: inout JSONObjectWriter) {
        if let card {
            object.object("card") { object in
                object.member("lastFour", card.lastFour)
                object.member("network", card.network.rawValue)
            }
        }
        object.member("createdAt", cursor.time.description)
        object.member("expiresAt", request.expiresAt?.description)
        if !request.metadata.isEmpty {
            object.member("metadata", .object(request.metadata.map { JSONMember($0.key, .string($0.value)) }))
        }
        object.member("orderId", cursor.order.description)
        object.member("reference", request.reference)
        object.member("revision", revision)
        object.member("status", status.rawValue)
        object.object("total") { total.write(to: &$0) }
    }
}
