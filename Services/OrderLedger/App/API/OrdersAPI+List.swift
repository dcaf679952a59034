import Contracts
import Ledger
import OrchardHTTPServer
import OrchardHTTPTypes
import OrchardJSON
import OrchardPostgres
import Outbox

extension OrdersAPI {
    /// `GET /v1/orders?status=&reference=&from=&to=&limit=&after=`: a merchant's orders, the newest first.
    ///
    /// `next` in the answer is the `after` of the next page. With `status` a page may have fewer orders than `limit`: it is
    /// chosen among so many orders, so that a rare status costs no long search.
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
                    for order in orders where query.status.map({ $0 == order.status }) ?? true {
                        array.object { order.write(to: &$0) }
                    }
                }
            })
    }

    private static func orders(
        of merchant: MerchantID, _ query: OrderListQuery, on connection: PostgresConnection
    ) async throws -> [PostgresRow] {
        try await connection.query(
            """
            SELECT d.order_id, d.created_at, d.reference, d.revision, d.request, f.total, coalesce(o.status, 'open') AS status
            FROM (SELECT partition, order_id, created_at, reference, revision, request FROM ledger.offered_orders
                WHERE merchant_id = $1 AND (created_at, order_id) < ($2, $3) AND created_at >= $4
                ORDER BY created_at DESC, order_id DESC LIMIT $5) AS d
            JOIN ledger.offers AS f USING (partition, order_id, revision)
            LEFT JOIN ledger.orders AS o USING (partition, order_id)
            ORDER BY d.created_at DESC, d.order_id DESC
            """,
            [merchant, query.after.time.postgres, query.after.order, query.from.postgres, Int64(query.limit)])
    }

    private static func orders(
        of merchant: MerchantID, reference: String, _ limit: Int, on connection: PostgresConnection
    ) async throws -> [PostgresRow] {
        try await connection.query(
            """
            SELECT d.order_id, d.created_at, d.reference, d.revision, d.request, f.total, coalesce(o.status, 'open') AS status
            FROM (SELECT partition, order_id, created_at, reference, revision, request FROM ledger.offered_orders
                WHERE merchant_id = $1 AND reference = $2 ORDER BY created_at DESC LIMIT $3) AS d
            JOIN ledger.offers AS f USING (partition, order_id, revision)
            LEFT JOIN ledger.orders AS o USING (partition, order_id)
            ORDER BY d.created_at DESC, d.order_id DESC
            """, [merchant, reference, Int64(limit)])
    }

    /// `GET /v1/orders/{id}/timeline`: every fact of the order, every rejected attempt and every command, in the order of
    /// their times.
    func showTimeline(_ request: HTTPRequest, _ parameters: RouteParameters) async throws -> HTTPResponse {
        let (merchant, _) = try authenticator.merchant(request, .read)
        let id = try orderID(parameters)
        let results = try await database.withTransaction(.snapshot) { connection in
            let place = try await place(of: id, of: merchant.id, on: connection)
            let key: [any PostgresEncodable] = [place.partition, id]
            return try await connection.pipeline([
                PostgresStatement(
                    """
                    SELECT occurred_at AS time, event_type AS type, value FROM ledger.facts
                    WHERE partition = $1 AND order_id = $2 AND \(JournalTables.isTaken) ORDER BY "offset" LIMIT 2000
                    """, key),
                PostgresStatement(
                    """
                    SELECT recorded_at AS time, stage, reason FROM ledger.attempts
                    WHERE partition = $1 AND order_id = $2 ORDER BY recorded_at LIMIT 1000
                    """, key),
                PostgresStatement(
                    """
                    SELECT requested_at AS time, type, command_id, reason FROM ledger.commands
                    WHERE partition = $1 AND order_id = $2 ORDER BY requested_at LIMIT 1000
                    """, key),
            ])
        }
        var events = try results[0].rows.map { row in
            TimelineEvent(
                time: try row.time("time"), type: try row.string("type"),
                data: try JSONValue(parsing: row.bytes("value")))
        }
        events += try results[1].rows.map { row in
            TimelineEvent(
                time: try row.time("time"), type: PaymentRejected.type,
                data: ["reason": .string(try row.string("reason")), "stage": .string(try row.string("stage"))])
        }
        events += try results[2].rows.map { row in
            let command: CommandID = try row.identifier("command_id")
            let reason = try row.optionalString("reason").map { [JSONMember("cancelReason", .string($0))] } ?? []
            return TimelineEvent(
                time: try row.time("time"), type: try row.string("type"),
                data: .object(reason + [JSONMember("commandId", .string(command.description))]))
        }
        // Events of equal times stay in the order of the journal.
        let sorted = events.enumerated().sorted {
            ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
        }
        return .json(
            JSONWriter.object { object in
                object.array("events") { array in
                    for (_, event) in sorted {
                        array.object { object in
                            object.member("data", event.data)
                            object.member("time", event.time.description)
                            object.member("type", event.type)
                        }
                    }
                }
                object.member("orderId", id.description)
            })
    }
}

/// Something that happened to an order.
private struct TimelineEvent {
    let time: Timestamp
    /// The type of the fact, the attempt or the command.
    let type: String
    let data: JSONValue
}

/// What a shop asks of the list of its orders.
private struct OrderListQuery {
    var status: OrderStatus?
    var reference: String?
    var from = Timestamp(seconds: 0)
    var after = OrderCursor.newest
    var limit = 50

    static let maximum = 200

    init(_ request: HTTPRequest) throws(Problem) {
        guard let pairs = request.query else { throw Self.wrong("", "the query cannot be decoded") }
        for (name, value) in pairs {
            switch name {
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
    private let total: Int64
    private let request: OfferRequest

    init(_ row: PostgresRow) throws {
        cursor = OrderCursor(time: try row.time("created_at"), order: try row.identifier("order_id"))
        status = try row.word("status")
        (revision, total) = (try row.int64("revision"), try row.int64("total"))
        let text = try row.bytes("request")
        do throws(JSONError) { request = try OfferRequest(parsing: text) } catch {
            throw StoreError(.malformed, at: "offered_orders.request", error.description)
        }
    }

    func write(to object: inout JSONObjectWriter) {
        object.member("createdAt", cursor.time.description)
        object.member("expiresAt", request.expiresAt?.description)
        if !request.metadata.isEmpty {
            object.member("metadata", .object(request.metadata.map { JSONMember($0.key, .string($0.value)) }))
        }
        object.member("orderId", cursor.order.description)
        object.member("reference", request.reference)
        object.member("revision", revision)
        object.member("status", status.rawValue)
        object.object("total") { Money(minorUnits: total, currency: request.currency).write(to: &$0) }
    }
}
