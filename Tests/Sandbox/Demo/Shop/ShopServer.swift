import Contracts
import Foundation
import OrchardHTTPTypes
import OrchardJSON

/// The server of one shop: it opens orders and cancels them with its API key.
struct ShopServer: Sendable {
    let apiKey: String
    let ledger: Wire

    /// An open order as the device receives it.
    struct Opened: Sendable {
        let order: OrderID
        let ticket: String
    }

    /// Opens the order of the script.
    func open(_ script: ScriptedOrder, run: String) async throws -> Opened {
        try await open(key: "\(run)-\(script.number)", body: body(of: script).bytes, worker: script.number)
    }

    /// Opens an order.
    ///
    /// - Parameter key: the idempotency key, which makes a repetition harmless.
    func open(key: String, body: [UInt8], worker: Int) async throws -> Opened {
        let answer = try await ledger.send(
            .post, "/v1/orders", token: apiKey, fields: [("Idempotency-Key", key)], body: body, worker: worker)
        guard answer.status == 201 || answer.status == 200, let order = OrderID(answer.body["orderId"]?.string ?? ""),
            let ticket = answer.body["ticket"]?.string
        else { throw DemoError("order \(key) was not opened: status \(answer.status), \(answer.body)") }
        return Opened(order: order, ticket: ticket)
    }

    /// Requests a cancel; the gateway decides about it.
    ///
    /// - Returns: false when the ledger knows already that the order is paid.
    @discardableResult
    func cancel(_ order: OrderID, worker: Int) async throws -> Bool {
        let answer = try await ledger.send(
            .post, "/v1/orders/\(order)/cancel", token: apiKey, worker: worker)
        if answer.status == 409, answer.body["code"]?.string == "order-paid" { return false }
        guard answer.status == 202 else { throw DemoError("cancel of \(order): status \(answer.status)") }
        return true
    }

    /// Waits until the order is no longer open.
    func waitUntilClosed(_ order: OrderID) async throws -> String {
        for _ in 0..<600 {
            let answer = try await ledger.send(.get, "/v1/orders/\(order)", token: apiKey)
            if let status = answer.body["status"]?.string, status != "open" { return status }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw DemoError("order \(order) stays open")
    }

    /// Reads the contact of a paid order: the one that its customer authorised.
    func checkContact(of order: OrderID, _ customer: Customer, worker: Int) async throws {
        let answer = try await waitForContact(of: order, worker: worker) { $0 == 200 }
        guard answer["shippingContact"] == customer.contact else {
            throw DemoError("order \(order) shows another contact than its customer's")
        }
    }

    /// Erases the contact of an order, which nobody can read from then on.
    func eraseContact(of order: OrderID, worker: Int) async throws {
        let answer = try await ledger.send(.delete, "/v1/orders/\(order)/contact", token: apiKey, worker: worker)
        guard answer.status == 204 else { throw DemoError("erasure of \(order): status \(answer.status)") }
        _ = try await waitForContact(of: order, worker: worker + 1) { $0 == 410 }
    }

    private func waitForContact(
        of order: OrderID, worker: Int, until isDone: (Int) -> Bool
    ) async throws -> JSONValue {
        var status = 0
        for _ in 0..<600 {
            let answer = try await ledger.send(.get, "/v1/orders/\(order)/contact", token: apiKey, worker: worker)
            status = answer.status
            if isDone(status) { return answer.body }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw DemoError("the contact of order \(order) is answered with status \(status)")
    }

    private func body(of script: ScriptedOrder) -> JSONValue {
        let totals = script.totals
        // Two lines, the tax on the first one.
        let second = totals.subtotal / 3
        func decimal(_ amount: Int64) -> JSONValue {
            .string(Money(minorUnits: amount, currency: totals.currency).decimal)
        }
        func line(_ label: String, _ amount: Int64, tax: Int64) -> JSONValue {
            .object([
                "label": .string(label), "quantity": .integer(1), "tax": decimal(tax), "unitAmount": decimal(amount),
            ])
        }
        func method(_ identifier: String, _ amount: Int64, in region: String? = nil) -> JSONValue {
            .object([
                "identifier": .string(identifier), "label": .string(identifier), "detail": .string("by post"),
                "amount": decimal(amount), "regions": .array([region].compactMap { $0.map { .string($0) } }),
            ])
        }
        var methods = [method("standard", totals.shipping)]
        var extra: [JSONMember] = []
        if let changed = script.changedTotals {
            switch script.scenario {
            case .coupon:
                extra = [
                    JSONMember(
                        "coupons",
                        [
                            [
                                "amount": decimal(changed.discount - totals.discount), "code": "TEA-WEEK",
                                "label": "Tea week",
                            ]
                        ])
                ]
            case .cardType:
                extra = [
                    JSONMember(
                        "cardTypePrices",
                        [
                            [
                                "cardTypes": ["credit"], "label": "Card fee",
                                "surcharge": decimal(changed.subtotal - totals.subtotal),
                            ]
                        ])
                ]
            case .address:
                methods = [
                    method("standard", totals.shipping, in: "CN/上海市"), method("express", changed.shipping, in: "CN"),
                ]
            default: methods.append(method("express", changed.shipping))
            }
        }
        if script.scenario == .expired {
            extra = [JSONMember("expiresAt", .string((Timestamp.now + .seconds(3)).description))]
        }
        if script.isHeld { extra.append(JSONMember("captureMode", "authorise")) }
        if script.isTotalPending { extra.append(JSONMember("pendingTotal", true)) }
        let discounts =
            totals.discount > 0
            ? [JSONValue.object(["label": .string("Autumn"), "amount": decimal(totals.discount)])] : []
        return .object(
            [
                JSONMember("currency", .string(totals.currency.code)),
                JSONMember("reference", .string("demo-\(script.number)")),
                JSONMember(
                    "lines",
                    [line("Oolong", totals.subtotal - second, tax: totals.tax), line("Cup", second, tax: 0)]),
                JSONMember("discounts", .array(discounts)), JSONMember("shippingMethods", .array(methods)),
                JSONMember("shippingMethod", "standard"),
                JSONMember("shippingContactFields", ["name", "phone", "postalAddress"]),
            ] + extra)
    }
}
