import Contracts
import Testing

@testable import Charging

@Suite("A new operation")
struct OperationBeginTests {
    @Test("is accepted and due at once, its card data kept")
    func accepted() {
        let (machine, actions) = OperationMachine.begin(
            Sample.charge(), at: Sample.start, policy: ChargingPolicy())
        #expect(actions.facts == ["accepted"])
        #expect(machine.dueAt == Sample.start)
        #expect(machine.state.holdsCard)
        #expect(machine.wantsCard(at: Sample.start))
    }

    @Test(
        "ends at once, without card data, when it can never be sent",
        arguments: [
            (Sample.charge(expiresAfter: .zero), .expired), (Sample.charge(signedBefore: .seconds(900)), .expired),
            (Sample.charge(signedBefore: .seconds(-901)), .expired), (Sample.charge(hasRoute: false), .noRoute),
            (Sample.charge(amount: .zero(.cny)), .noRoute), (Sample.charge(card: nil), .unreadable),
        ] as [(Charge, DeclineReason)])
    func declined(charge: Charge, reason: DeclineReason) {
        let (machine, actions) = OperationMachine.begin(charge, at: Sample.start, policy: ChargingPolicy())
        #expect(actions.events == [.declined(reason, nil)])
        #expect(machine.state.phase == .declined)
        #expect(!machine.state.holdsCard)
        #expect(machine.dueAt == nil)
    }

    // Failure scenario 30.
    @Test("takes the acquirer's key from payment and signing time alone")
    func key() throws {
        let ticket = OrderTicket(
            order: Sample.order, merchant: Sample.merchant, revision: 4, amount: Sample.amount, networks: [],
            routes: [], linesDigest: Array(repeating: 0, count: 32), partitions: 12, issuedAt: Sample.start,
            expiresAt: Sample.start + .seconds(60))
        let route = try #require(
            try MerchantRegistry(parsing: Array(Self.registry.utf8)).merchants.first?.routes.first)
        let payment = Sample.charge().payment
        let signed = Timestamp(microseconds: Sample.start.microseconds + 999_999)
        let charge = Charge(ticket: ticket, payment: payment, signedAt: signed, card: Sample.card, route: route)
        #expect(
            charge.reference
                == AcquirerReference(
                    acquirer: "unionpay", account: "777290058110048", orderNumber: payment.description,
                    time: Sample.start))
        #expect(charge.route == RouteReference(route, of: Sample.merchant))
        #expect(charge.amount == Sample.amount && charge.revision == 4)
        #expect(charge.expiresAt == Sample.start + .seconds(60))
        #expect(charge.reserved == "\(Sample.order)\(payment)" && charge.reserved.utf8.count == 64)
    }

    static let registry = """
        {"merchants":[{"id":"\(Sample.merchant)","displayName":"Shop","countryCode":"CN","networks":["chinaUnionPay"],
        "applePay":{"merchantIdentifier":"merchant.example","keys":[{"key":"a.pem"}]},
        "routes":[{"id":"unionpay-1","acquirer":"unionpay","environment":"test","account":"777290058110048","currencies":["CNY"],"paymentData":["EMV"],
        "settings": {"signingKey": "key.pem","signingCertificate": "cert.pem"}}],
        "apiKeys":[{"id":"k","sha256":"\(String(repeating: "0", count: 64))"}]}]}
        """
}
