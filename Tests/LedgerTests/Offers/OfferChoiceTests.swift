import Contracts
import LedgerFixtures
import OrchardJSON
import Testing

@testable import Ledger

@Suite("What the customer changes in the sheet")
struct OfferChoiceTests {
    private static let now = Timestamp(seconds: 1_790_000_000)

    private func request(_ text: String = FullOrder.json) throws -> OfferRequest {
        try OfferRequest(parsing: Array(text.utf8))
    }

    private func contact(_ country: String, _ area: String? = nil, _ code: String? = nil) -> SheetChange {
        var contact = PaymentContact()
        (contact.countryCode, contact.administrativeArea, contact.postalCode) = (country, area, code)
        return .shippingContact(contact)
    }

    private func change(
        _ change: SheetChange, _ request: OfferRequest? = nil, from choice: OfferChoice? = nil
    ) throws -> (choice: OfferChoice, errors: [SheetError]) {
        let request = try request ?? self.request()
        return try request.choice(after: change, from: choice ?? request.initialChoice, at: Self.now)
    }

    @Test("An address fixes the region and leaves the method that serves it")
    func address() throws {
        let (choice, errors) = try change(contact("cn", "北京市", "100010"))
        #expect(errors.isEmpty)
        #expect(choice.region?.description == "CN//100")
        #expect(choice.shippingMethod == "post")
        let sheet = try OfferChoiceTests.methods(request(), choice)
        #expect(sheet == ["post", "courier"])
        #expect(try Self.methods(request(), try change(contact("CN", "四川省")).choice) == ["post"])
    }

    @Test("An address that the chosen method does not serve gets the first that does")
    func otherMethod() throws {
        let courier = OfferChoice(shippingMethod: "courier")
        let (choice, errors) = try change(contact("CN", "四川省"), from: courier)
        #expect(errors.isEmpty)
        #expect(choice.shippingMethod == "post")
    }

    @Test("An address that nobody serves changes nothing and names the wrong member")
    func unserved() throws {
        let before = try request().initialChoice
        let (choice, errors) = try change(contact("JP"))
        #expect(choice == before)
        #expect(errors.map(\.code) == [.addressUnserviceable])
        #expect(errors.first?.contactField == .countryCode)
        #expect(errors.first?.message == "该地址不在配送范围内。")
        var narrow = try request()
        narrow.shippingMethods.removeFirst()
        #expect(try change(contact("CN", "四川省", "610000"), narrow).errors.first?.contactField == .postalCode)
    }

    @Test("An order without regions needs none; beside a method for everywhere, other countries get only that")
    func everywhere() throws {
        #expect(try change(contact("JP"), Shop.request).choice.region == nil)
        var mixed = try request()
        mixed.shippingMethods.append(
            ShippingMethod(identifier: "world", label: "World", detail: "30 days", amount: 9_000))
        let (choice, errors) = try change(contact("JP"), mixed)
        #expect(errors.isEmpty)
        #expect(choice == OfferChoice(shippingMethod: "world", region: Region("JP")))
        #expect(try Self.methods(mixed, choice) == ["world"])
        #expect(try change(contact(""), mixed).errors.first?.code == .addressUnserviceable)
    }

    @Test("A method that does not serve the chosen region is refused")
    func methodElsewhere() throws {
        let beijing = OfferChoice(shippingMethod: "post", region: Region("CN/四川省"))
        let error = #expect(throws: OfferError.self) { try change(.shippingMethod("courier"), from: beijing) }
        #expect(error?.code == .unknownShippingMethod)
        #expect(try change(.shippingMethod("courier")).choice.shippingMethod == "courier")
    }

    @Test("A coupon takes off what it says, whatever the case of its code")
    func coupon() throws {
        let (choice, errors) = try change(.couponCode("tea10"))
        #expect(errors.isEmpty)
        #expect(choice.coupon == 1)
        let offer = try Offer(request(), revision: 2, choice)
        // 10 % of 100.00 + 5.00; the welcome discount stays.
        #expect(offer.totals.discount == 500 + 1_050)
        #expect(offer.totals.total == 10_500 - 1_550 + 800 + 630)
        #expect(try change(.couponCode(""), from: choice).choice.coupon == nil)
    }

    @Test(
        "A code that is not valid leaves no coupon",
        arguments: [
            ("NO", SheetError.Code.couponCodeInvalid), ("OLD", .couponCodeExpired), ("tea 10", .couponCodeInvalid),
        ])
    func wrongCoupon(_ code: String, _ expected: SheetError.Code) throws {
        let with = try change(.couponCode("TEA10")).choice
        let (choice, errors) = try change(.couponCode(code), from: with)
        #expect(choice.coupon == nil)
        #expect(errors.map(\.code) == [expected])
    }

    @Test("A coupon that leaves nothing to pay cannot be used")
    func nothingLeft() throws {
        var free = try request(FullOrder.cards)
        free.coupons = [Coupon(code: "ALL", label: "All", value: .percent(100))]
        let (choice, errors) = try change(.couponCode("ALL"), free)
        #expect(choice.coupon == nil)
        #expect(errors.map(\.code) == [.couponCodeInvalid])
    }

    @Test("The type of a card decides the price only where a rule says so")
    func cardType() throws {
        let request = try request(FullOrder.cards)
        let credit = try change(.paymentMethod(.credit), request).choice
        #expect(try Offer(request, revision: 2, credit).totals.total == 5_100)
        let debit = try change(.paymentMethod(.debit), request).choice
        #expect(try Offer(request, revision: 2, debit).totals.total == 5_000)
        let prepaid = try change(.paymentMethod(.prepaid), request)
        #expect(prepaid.errors.map(\.code) == [.unknown])
        #expect(prepaid.choice == request.initialChoice)
        #expect(try change(.paymentMethod(.credit), Shop.request).choice == Shop.request.initialChoice)
    }

    @Test("The ticket names the types of card that its price holds for")
    func ticketTypes() throws {
        let request = try request(FullOrder.cards)
        func types(_ choice: OfferChoice) throws -> [CardType]? {
            let ticket = try Offer(request, revision: 1, choice).ticket(
                order: Shop.order, merchant: #require(Shop.merchant), partitions: 4, at: Self.now,
                lifetime: .seconds(60))
            return try #require(ticket).cardTypes
        }
        #expect(try types(request.initialChoice) == [.debit], "a credit card costs more")
        #expect(try types(OfferChoice(cardType: .credit)) == [.credit])
        let plain = try Offer(Shop.request, revision: 1).ticket(
            order: Shop.order, merchant: #require(Shop.merchant), partitions: 4, at: Self.now, lifetime: .seconds(60))
        #expect(plain?.cardTypes == nil)
    }

    @Test("No ticket outlives its order")
    func expiry() throws {
        var request = Shop.request
        request.expiresAt = Self.now + .seconds(30)
        func ticket(_ lifetime: Duration, _ time: Timestamp) throws -> OrderTicket? {
            try Offer(request, revision: 1).ticket(
                order: Shop.order, merchant: #require(Shop.merchant), partitions: 4, at: time, lifetime: lifetime)
        }
        #expect(try ticket(.seconds(600), Self.now)?.expiresAt == request.expiresAt)
        #expect(try ticket(.seconds(10), Self.now)?.expiresAt == Self.now + .seconds(10))
        #expect(try ticket(.seconds(600), Self.now + .seconds(30)) == nil)
    }

    @Test("A fact names the whole choice that its price was made for")
    func publishedBy() throws {
        let region = try #require(Region("CN"))
        for (text, choices) in [
            (
                FullOrder.json,
                [
                    OfferChoice(shippingMethod: "courier", region: region, coupon: 1),
                    OfferChoice(shippingMethod: "post"),
                ]
            ), (FullOrder.cards, [OfferChoice(cardType: .credit), OfferChoice()]),
        ] {
            let request = try request(text)
            for choice in choices {
                let offer = try Offer(request, revision: 2, choice)
                let fact = offer.fact(order: Shop.order, merchant: Shop.otherMerchant, partitions: 4).offerFact
                #expect(OfferChoice(publishedBy: try #require(fact)) == choice)
            }
        }
    }

    @Test("The body of a callback is what Apple's event has")
    func bodies() throws {
        func read(_ kind: SheetUpdate.Kind, _ text: String) throws(JSONError) -> SheetChange {
            try SheetChange(kind, parsing: Array(text.utf8))
        }
        #expect(try read(.shippingMethod, #"{"shippingMethod":"post"}"#) == .shippingMethod("post"))
        #expect(
            try read(.shippingMethod, #"{"shippingMethod":{"identifier":"post","amount":"8.00"}}"#)
                == .shippingMethod("post"))
        #expect(try read(.paymentMethod, #"{"paymentMethod":{"type":"credit","new":1}}"#) == .paymentMethod(.credit))
        #expect(try read(.paymentMethod, #"{"paymentMethod":{}}"#) == .paymentMethod(nil))
        #expect(try read(.paymentMethod, #"{"paymentMethod":{"type":"eMoney"}}"#) == .paymentMethod(nil))
        #expect(try read(.couponCode, #"{"couponCode":""}"#) == .couponCode(""))
        let other = #expect(throws: JSONError.self) { try read(.couponCode, #"{"coupon":"A"}"#) }
        #expect(other?.path == "coupon")
        let missing = #expect(throws: JSONError.self) { try read(.shippingContact, "{}") }
        #expect(missing?.path == "shippingContact")
    }

    private static func methods(_ request: OfferRequest, _ choice: OfferChoice) throws -> [String] {
        let sheet = PaymentSheet(
            order: Shop.order, merchant: try #require(Shop.merchant), offer: try Offer(request, revision: 2, choice))
        let json = try JSONValue(parsing: JSONWriter.object(sheet.writeRequest))
        return json["shippingMethods"]?.array?.compactMap { $0["identifier"]?.string } ?? []
    }
}
