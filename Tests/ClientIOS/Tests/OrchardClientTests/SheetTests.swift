import Foundation
import PassKitStub
import Testing

@testable import OrchardClient

@Suite("The questions of the sheet")
@MainActor
struct SheetTests {
    @Test("are asked of order-ledger, and each answer brings price and ticket")
    func questions() async throws {
        let methods = #","shippingMethods":[{"amount":"20.00","detail":"","identifier":"courier","label":"Courier"}]"#
        let order = try PlayedOrder(
            ScriptedServer(
                .sheet("110.00", ticket: "t2", more: methods), .sheet("120.00", ticket: "t3"),
                .sheet("121.00", ticket: "t4"), .sheet("111.00", ticket: "t5"), .accepted, .paid))
        var totals: [NSDecimalNumber?] = []
        var offered: [[String?]] = []
        _ = await order.present { sheet in
            guard let delegate = sheet.delegate else { return }
            let contact = PKContact()
            let address = CNMutablePostalAddress()
            (address.city, address.isoCountryCode) = ("上海市", "cn")
            contact.postalAddress = address
            let selected = await delegate.paymentAuthorizationController(sheet, didSelectShippingContact: contact)
            offered.append(selected.shippingMethods.map(\.identifier))
            let courier = selected.shippingMethods.first ?? PKShippingMethod(label: "", amount: 0)
            let shipped = await delegate.paymentAuthorizationController(sheet, didSelectShippingMethod: courier)
            let card = PKPaymentMethod()
            card.type = .credit
            let charged = await delegate.paymentAuthorizationController(sheet, didSelectPaymentMethod: card)
            let coupon = await delegate.paymentAuthorizationController(sheet, didChangeCouponCode: "TEA10")
            offered.append(coupon.shippingMethods.map(\.identifier))
            for update in [selected, shipped, charged, coupon] as [PKPaymentRequestUpdate] {
                #expect(update.status == .success)
                totals.append(update.paymentSummaryItems.last?.amount)
            }
            _ = await delegate.paymentAuthorizationController(sheet, didAuthorizePayment: PlayedOrder.authorised)
        }
        #expect(totals == ["110.00", "120.00", "121.00", "111.00"].map { NSDecimalNumber(string: $0) })
        #expect(offered == [["courier"], ["courier"]], "a method that is not told stays")
        let requests = await order.server.requests
        #expect(
            Array(requests.map(\.line).prefix(4))
                == [
                    "shipping-contact", "shipping-method", "payment-method", "coupon-code",
                ].map { "POST /ledger/v1/orders/o1/\($0)" })
        #expect(Array(requests.map(\.ticket).prefix(5)) == ["t1", "t2", "t3", "t4", "t5"].map { "Bearer \($0)" })
        #expect(requests[0].body.contains(#""countryCode":"cn""#) && requests[0].body.contains("上海市"))
        #expect(requests[1].body == #"{"shippingMethod":"courier"}"#)
        #expect(requests[2].body == #"{"paymentMethod":{"type":"credit"}}"#)
        #expect(requests[3].body == #"{"couponCode":"TEA10"}"#)
    }

    @Test("that are answered with an error show it, and the price stays")
    func errors() async throws {
        let error = """
            ,"errors":[{"code":3,"contactField":"postalAddress","domain":"PKPaymentErrorDomain",
            "localizedDescription":"We do not deliver to this address.","postalAddressKey":"ISOCountryCode"}]
            """
        let order = try PlayedOrder(ScriptedServer(.sheet("109.00", ticket: "t1", more: error)))
        var update: PKPaymentRequestShippingContactUpdate?
        _ = await order.present { sheet in
            update = await sheet.delegate?.paymentAuthorizationController(sheet, didSelectShippingContact: PKContact())
        }
        let found = update?.errors?.first as NSError?
        #expect(found?.code == 3 && found?.localizedDescription == "We do not deliver to this address.")
        let key = PKPaymentErrorKey.postalAddressUserInfoKey.rawValue
        #expect(found?.userInfo[key] as? String == CNPostalAddressISOCountryCodeKey)
        #expect(update?.status == .success && update?.shippingMethods.map(\.identifier) == ["post"])
    }

    @Test("that nobody answers leave the sheet as it was, and say so")
    func unanswered() async throws {
        let order = try PlayedOrder(ScriptedServer(.problem(409, "ticket-superseded")))
        var updates: [PKPaymentRequestUpdate] = []
        _ = await order.present { sheet in
            guard let delegate = sheet.delegate else { return }
            let method = PKShippingMethod(label: "Post", amount: 8)
            updates = [
                await delegate.paymentAuthorizationController(sheet, didSelectShippingContact: PKContact()),
                await delegate.paymentAuthorizationController(sheet, didSelectShippingMethod: method),
                await delegate.paymentAuthorizationController(sheet, didSelectPaymentMethod: PKPaymentMethod()),
                await delegate.paymentAuthorizationController(sheet, didChangeCouponCode: ""),
            ]
        }
        #expect(updates.map(\.status) == [.failure, .failure, .failure, .failure])
        #expect(updates.allSatisfy { $0.paymentSummaryItems.last?.amount == NSDecimalNumber(string: "109.00") })
    }

    @Test("with a ticket that has expired are asked again with a fresh one")
    func expired() async throws {
        let order = try PlayedOrder(
            ScriptedServer(.problem(401, "ticket-expired"), .ticket("t2"), .sheet("100.00", ticket: "t3")))
        var update: PKPaymentRequestCouponCodeUpdate?
        _ = await order.present { sheet in
            update = await sheet.delegate?.paymentAuthorizationController(sheet, didChangeCouponCode: "TEA10")
        }
        #expect(update?.status == .success)
        #expect(await order.server.requests.map(\.ticket) == ["t1", "t1", "t2"].map { "Bearer \($0)" })
    }
}
