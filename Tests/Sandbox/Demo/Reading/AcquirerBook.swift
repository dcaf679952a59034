import Contracts
import OrchardHTTPClient
import OrchardHTTPTypes
import OrchardJSON

/// Reads the acquirer simulator's own book.
struct AcquirerBook: Sendable {
    let client: HTTPClient
    /// Base address.
    let address: String

    /// Every sale and authorisation.
    func sales() async throws -> [AcquirerSale] {
        try await (get("book").array ?? []).filter { Self.charges.contains($0["txnType"]?.string ?? "") }.map { row in
            let (order, payment) = try Self.names(row)
            return AcquirerSale(
                booked: BookedPayment(order: order, payment: payment, outcome: Self.outcome(row)),
                fault: row["fault"]?.string ?? "", notificationsSent: row["notifySends"]?.integer ?? -1,
                isAcknowledged: row["notifyAcked"]?.bool ?? false, queries: row["queries"]?.integer ?? -1,
                notifiedAddress: row["backUrl"]?.string ?? "")
        }
    }

    /// What the acquirer took less what it gave back, by order.
    func kept() async throws -> [OrderID: Int64] {
        try await movements().reduce(into: [:]) { $0[$1.order, default: 0] += $1.amount }
    }

    /// Everything that it took, and what it gave back as a negative amount.
    func movements() async throws -> [(order: OrderID, amount: Int64)] {
        try await (get("book").array ?? []).compactMap { row in
            guard row["state"]?.string == "success", let amount = row["amount"]?.integer else { return nil }
            switch row["txnType"]?.string {
            case "01", "03": return (try Self.names(row).order, amount)
            case "04", "31", "33": return (try Self.names(row).order, -amount)
            default: return nil
            }
        }
    }

    /// Every capture, void and refund, and the fault that each met.
    func followUps() async throws -> [AcquirerFollowUp] {
        try await (get("book").array ?? []).filter { !Self.charges.contains($0["txnType"]?.string ?? "") }.map { row in
            AcquirerFollowUp(
                order: try Self.names(row).order, kind: row["txnType"]?.string ?? "",
                amount: row["amount"]?.integer ?? -1, isDone: row["state"]?.string == "success",
                fault: row["fault"]?.string ?? "")
        }
    }

    /// Keeps a day open beyond its end, and closes those before it; nil for the day of the clock.
    func keepOpen(_ day: SettlementDate?) async throws {
        try await control("day", .object(day.map { [JSONMember("open", .string($0.description))] } ?? []))
    }

    /// The notification address of every transaction.
    func notifiedAddresses() async throws -> [String] {
        try await (get("book").array ?? []).map { $0["backUrl"]?.string ?? "" }
    }

    private static let charges = ["01", "02"]

    /// Payments whose requests the simulator holds now, and the notification address of each.
    func held() async throws -> [(payment: PaymentID, notifiedAddress: String)] {
        try await (get("held").array ?? []).map { (try Self.names($0).payment, $0["backUrl"]?.string ?? "") }
    }

    /// Orders with more than one paid sale.
    func doubleCharges() async throws -> JSONValue {
        try await get("summary?group=reqReserved&prefix=32")["doubleCharges"] ?? .null
    }

    /// Sends a control command.
    func control(_ command: String, _ body: JSONValue) async throws {
        _ = try await ask(.post, command, body.bytes)
    }

    /// Our order and payment: `reqReserved` carries both.
    private static func names(_ row: JSONValue) throws -> (order: OrderID, payment: PaymentID) {
        guard let reserved = row["reqReserved"]?.string, reserved.utf8.count == 64,
            let order = OrderID(reserved.prefix(32)), let payment = PaymentID(reserved.suffix(32))
        else { throw DemoError("a row of the acquirer's book names no order of ours: \(row)") }
        return (order, payment)
    }

    /// The response codes by UnionPay's appendix. Written here a second time, independent of the gateway's table.
    private static func outcome(_ row: JSONValue) -> OrderEnd.Outcome {
        switch (row["state"]?.string, row["code"]?.string ?? "") {
        case ("success", _) where row["txnType"]?.string == "02": .authorised(row["amount"]?.integer ?? -1)
        case ("success", _): .succeeded(row["amount"]?.integer ?? -1)
        case ("failed", "63"): .declined(.frozenCard)
        case ("failed", "64"): .declined(.insufficientFunds)
        case ("failed", "65"): .declined(.incorrectPIN)
        case ("failed", let code): .other("failed \(code)")
        default: .other("pending")
        }
    }

    private func get(_ what: String) async throws -> JSONValue { try await ask(.get, what, []) }

    private func ask(_ method: HTTPMethod, _ what: String, _ body: [UInt8]) async throws -> JSONValue {
        var request = HTTPClientRequest(
            method: method, url: "\(address)/_control/\(what)", body: body, timeout: .seconds(120))
        if method == .post { request.fields["Content-Type"] = "application/json" }
        let reason: String
        switch await client.send(request) {
        case .answered(let answer) where answer.response.status.code == 200:
            return try JSONValue(parsing: answer.response.body)
        case .answered(let answer): reason = "\(answer.response.status.code)"
        case .notSent(let failure), .unknown(let failure): reason = failure.description
        }
        throw DemoError("the acquirer's control interface does not answer to \(what): \(reason)")
    }
}
