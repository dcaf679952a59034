import Contracts
import Ledger
import OrchardCrypto
import OrchardHTTPServer
import OrchardHTTPTypes
import OrchardJSON
import OrchardPostgres
import Outbox

/// What a shop reports about the goods of a paid order. It is no money, so it is in no book and not in the journal.
struct Fulfilment: Hashable, Sendable {
    enum Status: String, Sendable, CaseIterable {
        case shipped, readyForPickup, served
    }

    let id: FulfilmentID
    let status: Status
    let carrier: String?
    let trackingNumber: String?
    /// https.
    let trackingURL: String?
    let time: Timestamp
}

extension Fulfilment {
    /// Reads `{"status": "shipped", "carrier": "SF", "trackingNumber": "SF100", "trackingURL": "https://…"}`.
    init(_ id: FulfilmentID, at time: Timestamp, parsing bytes: [UInt8]) throws(JSONError) {
        self = try JSONReader.read(bytes) { reader throws(JSONError) in
            var status: Status?
            var (carrier, trackingNumber, trackingURL): (String?, String?, String?)
            try reader.object { reader, name throws(JSONError) in
                switch name {
                case "carrier": carrier = try reader.columnText(upTo: 64)
                case "status": status = try reader.word()
                case "trackingNumber": trackingNumber = try reader.columnText(upTo: 64)
                case "trackingURL": trackingURL = try reader.secureURL()
                default: throw reader.unknownMember()
                }
            }
            return Fulfilment(
                id: id, status: try reader.required(status, "status"), carrier: carrier,
                trackingNumber: trackingNumber, trackingURL: trackingURL, time: time)
        }
    }

    init(_ row: PostgresRow) throws {
        self.init(
            id: try row.identifier("fulfilment_id"), status: try row.word("status"),
            carrier: try row.optionalString("carrier"), trackingNumber: try row.optionalString("tracking_number"),
            trackingURL: try row.optionalString("tracking_url"), time: try row.time("reported_at"))
    }

    /// Whether both say the same, at whatever time.
    func reports(_ other: Self) -> Bool {
        (status, carrier, trackingNumber, trackingURL)
            == (other.status, other.carrier, other.trackingNumber, other.trackingURL)
    }

    func write(to object: inout JSONObjectWriter) {
        object.member("carrier", carrier)
        object.member("fulfilmentId", id.description)
        object.member("reportedAt", time.description)
        object.member("status", status.rawValue)
        object.member("trackingNumber", trackingNumber)
        object.member("trackingURL", trackingURL)
    }

    /// The rows of an order, in the order in which they were reported.
    static func reading(of order: OrderID, in partition: Int32) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT fulfilment_id, status, carrier, tracking_number, tracking_url, reported_at FROM ledger.fulfilments
            WHERE partition = $1 AND order_id = $2 ORDER BY reported_at, fulfilment_id LIMIT 100
            """, [partition, order])
    }
}

extension OrdersAPI {
    /// The most fulfilments of one order.
    static let maximumFulfilments = 100

    /// `POST /v1/orders/{id}/fulfilments`: 201, or 409 while the order is neither paid nor authorised.
    ///
    /// A repeated request with the same `Idempotency-Key` is answered with the first one's fulfilment; another request
    /// under the key is refused.
    func addFulfilment(_ request: HTTPRequest, _ parameters: RouteParameters) async throws -> HTTPResponse {
        let (merchant, _) = try authenticator.merchant(request, .orders)
        try request.requireContentType("application/json")
        let order = try orderID(parameters)
        let time = now()
        let id =
            try request.idempotencyKey().map { FulfilmentID(order: order, idempotencyKey: $0) }
            ?? FulfilmentID(time: time, randomness: SecureRandom.bytes(10))
        let wanted = try Fulfilment(id, at: time, parsing: request.body)
        let (known, isNew) = try await database.withTransaction { connection in
            let place = try await place(of: order, of: merchant.id, locked: true, on: connection)
            let results = try await connection.pipeline([
                Fulfilment.reading(of: order, in: place.partition),
                PostgresStatement(
                    "SELECT status FROM ledger.orders WHERE partition = $1 AND order_id = $2", [place.partition, order]
                ),
            ])
            let fulfilments = try results[0].rows.map { try Fulfilment($0) }
            if let first = fulfilments.first(where: { $0.id == id }) {
                guard first.reports(wanted) else { throw Problem.otherRequest }
                return (first, false)
            }
            // Many shops take held money when the goods leave.
            let status = try results[1].rows.first?.word("status", as: OrderStatus.self)
            guard status == .paid || status == .authorised else {
                throw Problem.orderUnpaid(order, "the order is not paid: nothing may leave the shop")
            }
            guard fulfilments.count < Self.maximumFulfilments else {
                throw Problem(
                    .conflict, code: "too-many-fulfilments",
                    detail: "an order has at most \(Self.maximumFulfilments) fulfilments")
            }
            try await connection.execute(
                """
                INSERT INTO ledger.fulfilments (partition, order_id, fulfilment_id, status, carrier, tracking_number,
                    tracking_url, reported_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
                """,
                [
                    place.partition, order, id, wanted.status.rawValue, wanted.carrier, wanted.trackingNumber,
                    wanted.trackingURL, time.postgres,
                ])
            return (wanted, true)
        }
        var response = HTTPResponse.json(
            JSONWriter.object { known.write(to: &$0) }, status: isNew ? .created : .ok,
            fields: ["Location": "/v1/orders/\(order)"])
        if !isNew { response.fields["Idempotent-Replayed"] = "true" }
        return response
    }
}

extension FulfilmentID {
    /// The fulfilment that a merchant reports for an order under an idempotency key.
    init(order: OrderID, idempotencyKey key: String) {
        self.init(hash: IdempotencyKey.hash("fulfilment", order.bytes, key))
    }
}
