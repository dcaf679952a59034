import Contracts
import LedgerFixtures
import OrchardJSON
import Testing

@testable import Ledger

@Suite("What a shop asks for after the payment")
struct FollowUpRequestTests {
    @Test(
        "is read, and written as the text that names it",
        arguments: [
            (FollowUpRequest.Kind.capture, "", "{}"), (.capture, "{}", "{}"),
            (.capture, #"{"currency":"CNY","amount":"98.00"}"#, #"{"amount":"98.00"}"#),
            (
                .void, #"{"paymentId":"0101010101010101ffffffffffffffff"}"#,
                #"{"paymentId":"0101010101010101ffffffffffffffff"}"#
            ),
            (
                .refund, #"{"reason":"Broken","lines":[{"quantity":2,"line":0}]}"#,
                #"{"lines":[{"line":0,"quantity":2}],"reason":"Broken"}"#
            ),
            (
                .finalise,
                #"{"lines":[{"label":"Ride","unitAmount":"38.00"}],"shipping":{"amount":"1.00"},"discounts":[]}"#,
                #"{"discounts":[],"lines":[{"label":"Ride","quantity":1,"tax":"0.00","unitAmount":"38.00"}],"#
                    + #""shipping":{"amount":"1.00","tax":"0.00"}}"#
            ),
        ])
    func read(_ kind: FollowUpRequest.Kind, _ text: String, _ canonical: String) throws {
        let request = try FollowUpRequest(parsing: Array(text.utf8), kind, in: .cny)
        let written = request.json(in: .cny)
        #expect(String(decoding: written, as: UTF8.self) == canonical)
        #expect(try FollowUpRequest(parsing: written, kind, in: .cny) == request)
    }

    @Test(
        "is refused with the member that is wrong",
        arguments: [
            (FollowUpRequest.Kind.capture, #"{"amount":"0.00"}"#, "amount"),
            (.capture, #"{"amount":"-1.00"}"#, "amount"),
            (.refund, #"{"amount":"0.00"}"#, "amount"), (.refund, #"{"amount":"-0.01"}"#, "amount"),
            (.refund, #"{"amount":"1.000"}"#, "amount"), (.refund, #"{"amount":"1"}"#, "amount"),
            (.refund, #"{"amount":100}"#, "amount"), (.refund, #"{"amount":null}"#, "amount"),
            (.refund, #"{"amount":"1.00","currency":"USD"}"#, "currency"),
            (.refund, #"{"amount":"1.00","lines":[{"line":0,"quantity":1}]}"#, ""),
            (.refund, #"{"lines":[]}"#, "lines"), (.refund, #"{"lines":[{"line":0}]}"#, "lines[0].quantity"),
            (.refund, #"{"lines":[{"line":-1,"quantity":1}]}"#, "lines[0].line"),
            (.refund, #"{"lines":[{"line":0,"quantity":0}]}"#, "lines[0].quantity"),
            (.refund, #"{"lines":[{"line":0,"quantity":1},{"line":0,"quantity":1}]}"#, "lines"),
            (.refund, #"{"reason":""}"#, "reason"), (.refund, #"{"everything":true}"#, "everything"),
            (.void, #"{"amount":"1.00"}"#, "amount"), (.void, #"{"paymentId":"1"}"#, "paymentId"),
            (.capture, #"{"lines":[{"line":0,"quantity":1}]}"#, "lines"), (.capture, #"{"reason":"Why"}"#, "reason"),
            (.finalise, "{}", "lines"), (.finalise, #"{"lines":[]}"#, "lines"),
            (.finalise, #"{"lines":[{"label":"Ride","unitAmount":"-1.00"}]}"#, "lines[0].unitAmount"),
            (.finalise, #"{"lines":[{"label":"Ride","unitAmount":"1.00"}],"coupons":[]}"#, "coupons"),
            (.finalise, #"{"lines":[{"label":"Ride","unitAmount":"1.00"}],"shipping":{}}"#, "shipping.amount"),
        ])
    func refused(_ kind: FollowUpRequest.Kind, _ text: String, _ field: String) {
        let error = #expect(throws: JSONError.self) {
            try FollowUpRequest(parsing: Array(text.utf8), kind, in: .cny)
        }
        #expect(error?.path == field, "\(text)")
    }

    @Test("Final lines replace what they name, and the price of the chosen way to ship")
    func final() throws {
        let request = Shop.request
        let lines = [OfferLine(label: "Ride", unitAmount: 3_800)]
        let some = try FinalLines(lines: lines).applied(to: request, shippedBy: "courier")
        #expect(some.lines == lines && some.discounts == request.discounts)
        #expect(some.shippingMethods == request.shippingMethods)
        let all = try FinalLines(
            lines: lines, extraLines: [ExtraLine(label: "Tip", amount: 500)], discounts: [],
            shipping: .init(amount: 1_500, tax: 90)
        ).applied(to: request, shippedBy: "courier")
        let price = try Offer(all, revision: 2, OfferChoice(shippingMethod: "courier")).totals
        #expect(price == OfferTotals(currency: .cny, subtotal: 4_300, discount: 0, shipping: 1_500, tax: 90))
        #expect(all.shippingMethods[0] == request.shippingMethods[0] && all.shippingMethods[1].label == "Courier")
        let error = #expect(throws: OfferError.self) {
            try FinalLines(lines: lines, shipping: .init(amount: 1)).applied(to: request, shippedBy: nil)
        }
        #expect(error?.field == "shipping")
    }
}
