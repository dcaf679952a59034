import Contracts
import OrchardHTTPTypes
import OrchardJSON

extension ShopServer {
    /// The answer to a command that follows a payment.
    enum Answer: Hashable, Sendable {
        case done
        /// Refused by order-ledger at once, or rejected by the gateway.
        case refused
    }

    /// Does what the script says after the payment, one after the other.
    func follow(_ order: OrderID, _ steps: [FollowUpStep], currency: Currency, run: String, worker: Int) async throws {
        for (number, step) in steps.enumerated() {
            func ask(_ route: String, _ amount: Int64?, _ copy: String = "") async throws -> Answer {
                try await command(
                    route, of: order, amount: amount.map { Money(minorUnits: $0, currency: currency) },
                    key: "\(run)-\(order)-\(number)\(copy)", worker: worker)
            }
            let answers: [Answer]
            var expected: Set<[Answer]> = [[.done]]
            switch step {
            case .capture(let amount): answers = [try await ask("captures", amount)]
            case .refund(let amount): answers = [try await ask("refunds", amount)]
            case .refundRest: answers = [try await ask("refunds", nil)]
            case .void: answers = [try await ask("voids", nil)]
            case .twoRefunds(let amount):
                async let here = ask("refunds", amount, "a")
                async let there = ask("refunds", amount, "b")
                answers = try await [here, there]
                expected = [[.done, .refused], [.refused, .done]]
            case .refusedRefund(let amount):
                answers = [try await ask("refunds", amount)]
                expected = [[.refused]]
            }
            guard expected.contains(answers) else { throw DemoError("\(step) of order \(order) ended as \(answers)") }
        }
    }

    /// Gives a command, and waits until it is done or refused.
    private func command(
        _ route: String, of order: OrderID, amount: Money?, key: String, worker: Int
    ) async throws -> Answer {
        let body: JSONValue = amount.map { ["amount": .string($0.decimal)] } ?? .object([])
        let answer = try await ledger.send(
            .post, "/v1/orders/\(order)/\(route)", token: apiKey, fields: [("Idempotency-Key", key)], body: body.bytes,
            worker: worker)
        if answer.status == 409 || answer.status == 422 { return .refused }
        guard answer.status == 202, let command = answer.body["commandId"]?.string else {
            throw DemoError("\(route) of \(order): status \(answer.status), \(answer.body)")
        }
        var status = "requested"
        for _ in 0..<40 {
            let answer = try await ledger.send(
                .get, "/v1/orders/\(order)/commands/\(command)?wait=10", token: apiKey, worker: worker)
            status = answer.body["status"]?.string ?? "status \(answer.status)"
            if status == "done" { return .done }
            if status == "rejected" { return .refused }
        }
        throw DemoError("\(route) of \(order) is still \(status)")
    }
}
