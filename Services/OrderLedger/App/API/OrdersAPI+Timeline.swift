import Contracts
import Ledger
import OrchardHTTPServer
import OrchardHTTPTypes
import OrchardJSON
import OrchardPostgres
import Outbox

extension OrdersAPI {
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
                    SELECT time, type, \(JournalRecord.columns) FROM (
                        SELECT "offset", occurred_at AS time, event_type AS type, \(JournalRecord.columns)
                        FROM ledger.facts WHERE partition = $1 AND order_id = $2 AND \(JournalTables.isTaken)
                        OFFSET 0) AS f ORDER BY "offset" LIMIT 2000
                    """, key),
                PostgresStatement(
                    """
                    SELECT recorded_at AS time, stage, reason FROM ledger.attempts
                    WHERE partition = $1 AND order_id = $2 ORDER BY recorded_at LIMIT 1000
                    """, key),
                PostgresStatement(
                    """
                    SELECT \(StoredCommand.columns) FROM ledger.commands
                    WHERE partition = $1 AND order_id = $2 ORDER BY requested_at LIMIT 1000
                    """, key),
            ])
        }
        var events = try results[0].rows.map { row in
            TimelineEvent(
                time: try row.time("time"), type: try row.string("type"),
                data: try JSONValue(parsing: row.recordValue()))
        }
        events += try results[1].rows.map { row in
            TimelineEvent(
                time: try row.time("time"), type: PaymentRejected.type,
                data: ["reason": .string(try row.string("reason")), "stage": .string(try row.string("stage"))])
        }
        events += try results[2].rows.map { row in
            let command = try StoredCommand(row)
            return TimelineEvent(time: command.requestedAt, type: command.type, data: command.timelineData)
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

extension StoredCommand {
    fileprivate var timelineData: JSONValue {
        var members = [JSONMember("commandId", .string(id.description))]
        if let reason { members.append(JSONMember(isClosing ? "cancelReason" : "refundReason", .string(reason))) }
        if let payment { members.append(JSONMember("paymentId", .string(payment.description))) }
        if let amount {
            members.append(
                JSONMember(
                    "amount",
                    ["currency": .string(amount.currency.code), "minorUnits": .integer(amount.minorUnits)]))
        }
        return .object(members)
    }
}
