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
    ///
    /// - Parameter contact: the shipping contact that was authorised with it.
    func pay(
        _ token: MintedToken, contact: JSONValue? = nil, ticket: String, worker: Int
    ) async throws -> Reception {
        let member = contact.map { Array("\"shippingContact\":".utf8) + $0.bytes + Array(",".utf8) } ?? []
        let body = Array("{".utf8) + member + Array("\"token\":".utf8) + token.json + Array("}".utf8)
        let answer = try await ingest.send(.post, "/v1/payments", token: ticket, body: body, worker: worker)
        if answer.status == 202, let payment = PaymentID(answer.body["paymentId"]?.string ?? "") {
            return .accepted(payment)
        }
        guard let stage = answer.body["stage"]?.string else {
            throw DemoError("token-ingest answered \(answer.status): \(answer.body)")
        }
        return .rejected(stage: stage)
    }

    /// What the customer changes in the sheet.
    enum Change: Sendable {
        case shippingMethod(String)
        case couponCode(String)
        case country(String, area: String?)
        case cardType(String)

        /// The callback's route, the member of its body, and the value.
        var request: (route: String, member: String, value: JSONValue) {
            switch self {
            case .shippingMethod(let identifier): ("shipping-method", "shippingMethod", .string(identifier))
            case .couponCode(let code): ("coupon-code", "couponCode", .string(code))
            case .country(let code, let area):
                (
                    "shipping-contact", "shippingContact",
                    ["administrativeArea": .string(area ?? ""), "countryCode": .string(code)]
                )
            case .cardType(let type): ("payment-method", "paymentMethod", ["type": .string(type)])
            }
        }
    }

    /// Calls back about a change; returns the ticket, and the code of the error that the sheet shows.
    func change(
        _ change: Change, _ order: OrderID, _ ticket: String, worker: Int
    ) async throws -> (ticket: String, error: String?) {
        let (route, member, value) = change.request
        let answer = try await ledger.send(
            .post, "/v1/orders/\(order)/\(route)", token: ticket, body: JSONValue.object([member: value]).bytes,
            worker: worker)
        guard answer.status == 200, let ticket = answer.body["ticket"]?.string else {
            throw DemoError("\(route) of \(order): status \(answer.status), \(answer.body)")
        }
        return (ticket, answer.body["\(member)Update"]?["errors"]?[0]?["code"]?.string)
    }

    /// Checks that the ticket of an order that has ended gets no successor.
    func checkTicketEnded(_ order: OrderID, _ ticket: String, worker: Int) async throws {
        let answer = try await ledger.send(.post, "/v1/orders/\(order)/ticket", token: ticket, worker: worker)
        guard answer.status == 409 else { throw DemoError("the ticket of \(order): status \(answer.status)") }
    }

    /// Polls until the payment that was declined is shown as one that the shop must look at; or as paid, when the decline
    /// never reached a gateway.
    func lateOutcome(
        of payment: PaymentID, order: OrderID, ticket: String, worker: Int, within timeout: Duration
    ) async throws -> OrderEnd.Outcome {
        let deadline = ContinuousClock.now + timeout
        var status = "processing"
        while ContinuousClock.now < deadline {
            let answer = try await ledger.send(
                .get, "/v1/orders/\(order)/payments/\(payment)", token: ticket, worker: worker)
            status = answer.body["status"]?.string ?? "status \(answer.status)"
            let amount = answer.body["amount"]?["minorUnits"]?.integer ?? -1
            if status == "paid" { return .succeeded(amount) }
            if status == "confirming" { return .lateSuccess(amount) }
            try await Task.sleep(for: .milliseconds(100))
        }
        return .undecided(status)
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
            case "authorised": return .authorised(answer.body["amount"]?["minorUnits"]?.integer ?? -1)
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
