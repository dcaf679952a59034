import Contracts
import KeyFiles
import OrchardJSON
import SandboxAcquirer

/// What UnionPay does.
extension TestServices {
    /// Three days that are closed, the last one perhaps in a few minutes: what is done now is booked on them.
    static var days: [SettlementDate] {
        let last = SettlementCalendar.unionPay.lastClosedDay(at: .now + .seconds(300))
        return [-2, -1, 0].map { last.adding(days: $0) }
    }

    /// From now on the acquirer books on this day, and days before it have files; nil: its clock's day.
    func open(_ day: SettlementDate?) async throws {
        let body = day.map { JSONValue.object([JSONMember("open", .string("\($0)"))]) } ?? .object([])
        _ = try await acquirer.control("POST day", body: body)
    }

    /// Sells at a till of the merchant, of which no gateway knows.
    func sellAtTill(_ order: String, fen: Int64, count: Int64 = 1) async throws {
        _ = try await acquirer.control(
            "POST till",
            body: .object([
                JSONMember("amount", .integer(fen)), JSONMember("count", .integer(count)),
                JSONMember("merId", .string(Self.account)), JSONMember("orderId", .string(order)),
            ]))
    }

    /// Lets the file have another amount for an order's sale.
    func misstate(_ order: OrderID, fen: Int64) async throws {
        let sale = try await acquirer.control("GET book").array?.first {
            $0["reqReserved"]?.string?.hasPrefix("\(order)") == true
        }
        _ = try await acquirer.control(
            "POST misstate",
            body: .object([
                JSONMember("amount", .integer(fen)), JSONMember("orderId", .string(sale?["orderId"]?.string ?? "")),
            ]))
    }
}
