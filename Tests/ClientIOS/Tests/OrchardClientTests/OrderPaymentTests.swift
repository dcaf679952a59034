import Foundation
import PassKitStub
import Testing

@testable import OrchardClient

@Suite("A payment in an app")
@MainActor
struct OrderPaymentTests {
    private static let pay = "POST /ingest/v1/payments"
    private static let poll = "GET /ledger/v1/orders/o1/payments/p1?wait="

    @Test("is sent with the ticket, waited for, and ends on the sheet")
    func paid() async throws {
        let order = try PlayedOrder(ScriptedServer(.accepted, .paid))
        let (result, outcome) = await order.authorise()
        #expect(result?.status == .success && result?.errors?.isEmpty == true && outcome == .paid)
        let requests = await order.server.requests
        #expect(requests.map(\.line) == [Self.pay, Self.poll + "24"])
        #expect(requests.allSatisfy { $0.ticket == "Bearer t1" })
        let body = try JSONDecoder().decode(Sent.self, from: Data(requests[0].body.utf8))
        #expect(body.token.paymentData.header == ["transactionId": "ab"] && body.token.paymentData.data == "ZA==")
        #expect(body.token.paymentMethod == ["displayName": "Visa 1234", "network": "Visa", "type": "credit"])
        #expect(body.token.transactionIdentifier == "AB" && body.shippingContact == ["phoneNumber": "13800138000"])
    }

    @Test(
        "whose answer is lost is sent again, byte for byte",
        arguments: [
            ScriptedServer.Reply.lost(.networkConnectionLost), .lost(.timedOut), .problem(503, "outcome-unknown"),
            .problem(503, "busy"), .answer(502, "<html>"), .answer(429, "{}", retryAfter: 0),
        ])
    func lost(_ reply: ScriptedServer.Reply) async throws {
        let order = try PlayedOrder(ScriptedServer(reply, reply, .accepted, .paid))
        #expect(await order.authorise().outcome == .paid)
        let sent = await order.server.requests.filter { $0.line == Self.pay }
        #expect(sent.count == 3 && Set(sent.map(\.body)).count == 1 && Set(sent.map(\.ticket)).count == 1)
        #expect(sent.allSatisfy { $0.timeout <= 8 }, "there is time for another try")
    }

    @Test("without an outcome in time succeeds on the sheet; the app confirms, and waits for the end")
    func unknown() async throws {
        let order = try PlayedOrder(
            ScriptedServer(.accepted, .processing), timeLimit: .milliseconds(1_100))
        let (result, outcome) = await order.authorise()
        #expect(result?.status == .success && outcome == .confirming)
        // No second sheet for what may have been paid.
        #expect(await order.present { _ in Issue.record("the sheet was shown") } == .confirming)
        let later = try PlayedOrder(
            ScriptedServer(.accepted, .processing, .payment("declined", 1, message: "Try another card.")),
            timeLimit: .milliseconds(1_010))
        #expect(await later.authorise().outcome != .paid)
        #expect(await later.payment.confirm() == .declined("Try another card."))
    }

    @Test(
        "that may have arrived although no answer came is confirming, and its bytes are sent again until it has an id")
    func neverAnswered() async throws {
        let lost = ScriptedServer.Reply.lost(.timedOut)
        let order = try PlayedOrder(ScriptedServer(lost), timeLimit: .milliseconds(60))
        let (result, outcome) = await order.authorise()
        #expect(result?.status == .success && outcome == .confirming)
        let next = try PlayedOrder(ScriptedServer(lost, lost, lost, lost, lost, lost, lost, .late, .paid))
        next.payment.timeLimit = .milliseconds(45)
        #expect(await next.authorise().outcome == .confirming)
        next.payment.timeLimit = .seconds(25)
        // Too late to be taken now, and taken before.
        #expect(await next.payment.confirm() == .paid)
        let requests = await next.server.requests
        #expect(Set(requests.filter { $0.line == Self.pay }.map(\.body)).count == 1)
    }

    @Test(
        "that cannot have arrived fails on the sheet, and nothing is being confirmed",
        arguments: [
            ScriptedServer.Reply.lost(.notConnectedToInternet), .lost(.cannotConnectToHost),
            .problem(503, "not-ready"), .answer(429, "{}", retryAfter: 60),
        ])
    func unsent(_ reply: ScriptedServer.Reply) async throws {
        let order = try PlayedOrder(ScriptedServer(reply), timeLimit: .milliseconds(60))
        let (result, outcome) = await order.authorise()
        #expect(result?.status == .failure && outcome == .declined(nil))
    }

    @Test("that lacks a part of the contact shows Apple's errors, and nothing is taken")
    func refused() async throws {
        let errors = """
            {"code":1,"contactField":"phoneNumber","domain":"PKPaymentErrorDomain","localizedDescription":"Telephone, please."},
            {"code":2,"contactField":"postalAddress","domain":"PKPaymentErrorDomain","localizedDescription":"Street, please.",
             "postalAddressKey":"street"}
            """
        let order = try PlayedOrder(
            ScriptedServer(
                .problem(
                    422, "payment-rejected",
                    more:
                        #","applePay":{"errors":[],"passKit":{"errors":[\#(errors)],"status":1},"status":"STATUS_FAILURE"}"#
                )))
        let (result, outcome) = await order.authorise()
        #expect(result?.status == .failure && outcome == .declined("Telephone, please."))
        let found = (result?.errors ?? []).map { $0 as NSError }
        #expect(found.map(\.code) == [1, 2] && found.allSatisfy { $0.domain == "PKPaymentErrorDomain" })
        let field = PKPaymentErrorKey.contactFieldUserInfoKey.rawValue
        #expect(found.map { $0.userInfo[field] as? PKContactField } == [.phoneNumber, .postalAddress])
        let key = found.map { $0.userInfo[PKPaymentErrorKey.postalAddressUserInfoKey.rawValue] as? String }
        #expect(key == [nil, CNPostalAddressStreetKey])
    }

    @Test(
        "ends with the status of PassKit that the service says",
        arguments: [
            ("declined", 1, PKPaymentAuthorizationStatus.failure), ("declined", 6, .pinIncorrect),
            ("declined", 7, .pinLockout), ("refused", 1, .failure),
        ])
    func status(_ status: String, _ value: Int, _ expected: PKPaymentAuthorizationStatus) async throws {
        let order = try PlayedOrder(ScriptedServer(.accepted, .payment(status, value, message: "Sorry.")))
        let (result, outcome) = await order.authorise()
        #expect(result?.status == expected && outcome == .declined("Sorry."))
    }

    @Test("after a decline is another one, with a token of its own")
    func secondCard() async throws {
        let order = try PlayedOrder(
            ScriptedServer(.accepted, .payment("declined", 1), .accepted, .paid))
        let outcome = await order.present { sheet in
            for data in ["YQ==", "Yg=="] {
                let payment = PlayedOrder.authorised
                payment.token.paymentData = Data(#"{"data":"\#(data)"}"#.utf8)
                _ = await sheet.delegate?.paymentAuthorizationController(sheet, didAuthorizePayment: payment)
            }
        }
        #expect(outcome == .paid)
        let bodies = await order.server.requests.filter { $0.line == Self.pay }.map(\.body)
        #expect(bodies.count == 2 && bodies[0].contains("YQ==") && bodies[1].contains("Yg=="))
    }

    @Test("whose ticket is too old is sent once more with a fresh one")
    func oldTicket() async throws {
        let order = try PlayedOrder(ScriptedServer(.late, .ticket("t2"), .accepted, .paid))
        #expect(await order.authorise().outcome == .paid)
        let requests = await order.server.requests
        #expect(requests.map(\.line).prefix(3) == [Self.pay, "POST /ledger/v1/orders/o1/ticket", Self.pay])
        #expect(requests.map(\.ticket) == ["Bearer t1", "Bearer t1", "Bearer t2", "Bearer t2"])
    }

    @Test("whose ticket is too old, and whose order is closed, is declined: nothing is being confirmed")
    func closed() async throws {
        let order = try PlayedOrder(ScriptedServer(.late, .problem(409, "order-closed")))
        let (result, outcome) = await order.authorise()
        #expect(result?.status == .failure && outcome == .declined(nil))
    }

    @Test("does not happen when the customer dismisses the sheet: nothing is sent, and it may be opened again")
    func dismissed() async throws {
        let order = try PlayedOrder(ScriptedServer(.accepted, .paid))
        #expect(await order.present() == .dismissed)
        #expect(await order.server.requests.isEmpty)
        #expect(await order.authorise().outcome == .paid)
    }

    @Test("begins again with the price, the methods and the coupon that the customer chose before")
    func openedAgain() async throws {
        let order = try PlayedOrder(
            ScriptedServer(
                .sheet("99.00", ticket: "t2", more: #","shippingMethods":[]"#),
                .sheet("109.00", ticket: "t3", more: Self.wrongCode)))
        #expect(
            await order.present { sheet in
                _ = await sheet.delegate?.paymentAuthorizationController(sheet, didChangeCouponCode: "TEA10")
            } == .dismissed)
        _ = await order.present { sheet in
            #expect(sheet.request.paymentSummaryItems.last?.amount == 99 && sheet.request.couponCode == "TEA10")
            _ = await sheet.delegate?.paymentAuthorizationController(sheet, didChangeCouponCode: "NO")
        }
        _ = await order.present { sheet in
            #expect(sheet.request.paymentSummaryItems.last?.amount == 109 && sheet.request.couponCode == nil)
        }
    }

    private static let wrongCode =
        #","errors":[{"code":4,"domain":"PKPaymentErrorDomain","localizedDescription":"No."}]"#

    private struct Sent: Decodable {
        let token: Token
        let shippingContact: [String: String]

        struct Token: Decodable {
            let paymentData: Encrypted
            let paymentMethod: [String: String]
            let transactionIdentifier: String
        }

        struct Encrypted: Decodable {
            let data: String
            let header: [String: String]
        }
    }
}
