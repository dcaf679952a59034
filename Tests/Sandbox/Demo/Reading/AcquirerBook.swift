import Contracts
import HTTPClient
import HTTPTypes
import JSON

/// Reads the acquirer simulator's own book.
struct AcquirerBook: Sendable {
    let client: HTTPClient
    /// Base address.
    let address: String

    /// Every sale, by our order and payment (`reqReserved` carries both).
    func payments() async throws -> [BookedPayment] {
        try await rows().map { row in
            guard let reserved = row["reqReserved"]?.string, reserved.utf8.count == 64,
                let order = OrderID(reserved.prefix(32)), let payment = PaymentID(reserved.suffix(32))
            else { throw DemoError("a row of the acquirer's book names no order of ours: \(row)") }
            let outcome: OrderEnd.Outcome =
                switch row["state"]?.string {
                case "success": .succeeded(row["amount"]?.integer ?? -1)
                case "failed": .other("failed \(row["code"]?.string ?? "")")
                default: .other("pending")
                }
            return BookedPayment(order: order, payment: payment, outcome: outcome)
        }
    }

    /// How many requests the simulator holds at the moment.
    func held() async throws -> Int { try await get("held").array?.count ?? 0 }

    /// Orders with more than one paid sale.
    func doubleCharges() async throws -> JSONValue {
        try await get("summary?group=reqReserved&prefix=32")["doubleCharges"] ?? .null
    }

    /// Sends a control command.
    func control(_ command: String, _ body: JSONValue) async throws {
        _ = try await ask(.post, command, body.bytes)
    }

    private func rows() async throws -> [JSONValue] { try await get("book").array ?? [] }

    private func get(_ what: String) async throws -> JSONValue { try await ask(.get, what, []) }

    private func ask(_ method: HTTPMethod, _ what: String, _ body: [UInt8]) async throws -> JSONValue {
        var request = HTTPClientRequest(method: method, url: "\(address)/_control/\(what)", body: body)
        if method == .post { request.fields["Content-Type"] = "application/json" }
        guard case .answered(let answer) = await client.send(request), answer.response.status.code == 200 else {
            throw DemoError("the acquirer's control interface does not answer to \(what)")
        }
        return try JSONValue(parsing: answer.response.body)
    }
}
