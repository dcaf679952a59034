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
                let amount = amount.map { JSONMember("amount", .decimal($0, currency)) }
                return try await ask(route, body: .object([amount].compactMap(\.self)), copy)
            }
            func ask(_ route: String, body: JSONValue, _ copy: String = "") async throws -> Answer {
                try await command(
                    route, of: order, body: body, key: "\(run)-\(order)-\(number)\(copy)", worker: worker)
            }
            let answers: [Answer]
            var expected: Set<[Answer]> = [[.done]]
            switch step {
            case .capture(let amount): answers = [try await ask("captures", amount)]
            case .refund(let amount): answers = [try await ask("refunds", amount)]
            case .givenBack:
                let isPaid = try await waitUntilGivenBack(order, worker: worker)
                answers = [isPaid ? try await ask("refunds", nil) : .done]
            case .refundRest: answers = [try await ask("refunds", nil)]
            case .void, .voidAfterDay: answers = [try await ask("voids", nil)]
            case .finalise(let lines): answers = [try await ask("finalise", body: lines.json(currency))]
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

    /// Waits until the gateway has given back what succeeded too late.
    ///
    /// - Returns: whether it paid the order instead, because the decline before it was lost.
    @discardableResult
    func waitUntilGivenBack(_ order: OrderID, worker: Int) async throws -> Bool {
        for _ in 0..<1_800 {
            let answer = try await ledger.send(.get, "/v1/orders/\(order)", token: apiKey, worker: worker)
            let isDone = (answer.body["followUps"]?.array ?? []).contains {
                $0["kind"]?.string == "refund" && $0["cause"]?.string == "lateSuccess"
                    && $0["status"]?.string == "succeeded"
            }
            if isDone { return false }
            if answer.body["status"]?.string == "paid" { return true }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw DemoError("the late success of order \(order) is not given back")
    }

    /// Gives a command, and waits until it is done or refused.
    private func command(
        _ route: String, of order: OrderID, body: JSONValue, key: String, worker: Int
    ) async throws -> Answer {
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

extension FinalLines {
    /// The body of `POST …/finalise`.
    fileprivate func json(_ currency: Currency) -> JSONValue {
        [
            "lines": [
                ["label": "Oolong", "tax": .decimal(tax, currency), "unitAmount": .decimal(first, currency)],
                ["label": "Cup", "unitAmount": .decimal(second, currency)],
            ],
            "extraLines": [["label": "Tip", "amount": .decimal(tip, currency)]],
        ]
    }
}

extension JSONValue {
    /// An amount as the API takes it.
    static func decimal(_ minorUnits: Int64, _ currency: Currency) -> JSONValue {
        .string(Money(minorUnits: minorUnits, currency: currency).decimal)
    }
}
