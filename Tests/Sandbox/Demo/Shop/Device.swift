import Contracts
import OrchardHTTPTypes
import OrchardJSON
import SandboxWallet

/// An iPhone: requests a token from the wallet, sends it with the ticket and waits for the outcome.
struct Device: Sendable {
    let wallet: any TokenSource
    let ingest: Wire
    let ledger: Wire
    let inFlight: InFlight

    /// The answer of token-ingest.
    enum Reception: Sendable {
        case accepted(PaymentID)
        case rejected(stage: String)
    }

    /// Sends a token.
    func pay(_ token: MintedToken, ticket: String, worker: Int) async throws -> Reception {
        let body = Array("{\"token\":".utf8) + token.json + Array("}".utf8)
        let answer = try await ingest.send(.post, "/v1/payments", token: ticket, body: body, worker: worker)
        if answer.status == 202, let payment = PaymentID(answer.body["paymentId"]?.string ?? "") {
            return .accepted(payment)
        }
        guard let stage = answer.body["stage"]?.string else {
            throw DemoError("token-ingest answered \(answer.status): \(answer.body)")
        }
        return .rejected(stage: stage)
    }

    /// Chooses a shipping method and returns the new ticket.
    func choose(shipping method: String, order: OrderID, ticket: String, worker: Int) async throws -> String {
        let answer = try await ledger.send(
            .post, "/v1/orders/\(order)/shipping-method", token: ticket,
            body: JSONValue.object(["shippingMethod": .string(method)]).bytes, worker: worker)
        guard answer.status == 200, let ticket = answer.body["ticket"]?.string else {
            throw DemoError("shipping method of \(order): status \(answer.status), \(answer.body)")
        }
        return ticket
    }

    /// Polls until the payment has an outcome.
    func outcome(
        of payment: PaymentID, order: OrderID, ticket: String, worker: Int, within timeout: Duration
    ) async throws -> OrderEnd.Outcome {
        inFlight.begin(payment)
        defer { inFlight.end(payment) }
        let deadline = ContinuousClock.now + timeout
        var status = "processing"
        while ContinuousClock.now < deadline {
            let wait = min(25, Int(((deadline - .now) / .seconds(1)).rounded(.up)))
            let answer = try await ledger.send(
                .get, "/v1/orders/\(order)/payments/\(payment)?wait=\(max(wait, 1))", token: ticket, worker: worker)
            guard answer.status == 200, let text = answer.body["status"]?.string else {
                throw DemoError("status of payment \(payment): \(answer.status), \(answer.body)")
            }
            status = text
            switch text {
            case "paid": return .succeeded(answer.body["amount"]?["minorUnits"]?.integer ?? -1)
            case "declined":
                return DeclineReason(rawValue: answer.body["reason"]?.string ?? "").map { .declined($0) }
                    ?? .other(text)
            case "refused":
                return RefusalReason(rawValue: answer.body["reason"]?.string ?? "").map { .refused($0) }
                    ?? .other(text)
            case "conflicted", "lateSuccess", "notCharged": return .other(text)
            default: continue
            }
        }
        return .undecided(status)
    }
}
