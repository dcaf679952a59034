import Contracts
import LedgerFixtures
import Testing

@testable import Ledger

@Suite("What an order must be like")
struct OfferRulesTests {
    private static let now = Timestamp(seconds: 1_790_000_000)

    private func error(_ text: String) throws -> OfferError? {
        let rules = OfferRules(try OfferRequest(parsing: Array(text.utf8)), of: try #require(Shop.merchant))
        do throws(OfferError) {
            try rules.check(at: Self.now)
            return nil
        } catch {
            return error
        }
    }

    private func order(_ members: String, currency: String = "CNY") -> String {
        #"{"currency":"\#(currency)","lines":[{"label":"T","unitAmount":"\#(currency == "JPY" ? "100" : "1.00")"}]\#(members)}"#
    }

    @Test("An order with everything that goes together is accepted", arguments: FullOrder.all)
    func accepted(_ text: String) throws {
        #expect(try error(text) == nil)
    }

    @Test(
        "What contradicts itself, or cannot be charged, is refused with its member",
        arguments: [
            ("", "USD", OfferError.Code.noRoute, "currency"),
            (#","environment":"live""#, "CNY", .noRoute, "environment"),
            (#","payee":"0190a0b0c0d0e0f00102030405060709""#, "CNY", .otherPayee, "payee"),
            (#","payeeName":"X""#, "CNY", .otherPayee, "payeeName"),
            (#","shippingType":"storePickup""#, "CNY", .missing, "pickup"),
            (#","shippingType":"storePickup","pickup":{"locality":"Shanghai"}"#, "CNY", .missing, "pickup"),
            (
                #","shippingType":"shipping","pickup":{"addressLines":["1"],"locality":"S","countryCode":"CN"}"#, "CNY",
                .contradiction, "pickup"
            ),
            (
                #","shippingType":"delivery","shippingMethods":[{"identifier":"a","label":"A","amount":"1.00"}]"#,
                "CNY",
                .missing, "shippingMethods[0].arrival"
            ),
            (
                #","digitalGoods":true,"shippingMethods":[{"identifier":"a","label":"A","amount":"1.00"}]"#, "CNY",
                .contradiction, "shippingMethods"
            ),
            (
                #","digitalGoods":true,"shippingContactFields":["postalAddress"]"#, "CNY", .contradiction,
                "shippingContactFields"
            ),
            (#","couponCode":"NO""#, "CNY", .unknownCoupon, "couponCode"),
            (#","expiresAt":"2020-01-01T00:00:00.000000Z""#, "CNY", .expiry, "expiresAt"),
            (#","expiresAt":"2030-01-01T00:00:00.000000Z""#, "CNY", .expiry, "expiresAt"),
        ])
    func refused(_ members: String, _ currency: String, _ code: OfferError.Code, _ field: String) throws {
        let error = try error(order(members, currency: currency))
        #expect(error?.code == code)
        #expect(error?.field == field)
    }

    @Test("An order lives as long as the service is configured, and 366 days at most")
    func life() throws {
        let merchant = try #require(Shop.merchant)
        func error(after seconds: Int64, minimum: Duration) -> OfferError? {
            var request = Shop.request
            request.expiresAt = Self.now + .seconds(seconds)
            do throws(OfferError) {
                try OfferRules(request, of: merchant, minimumLife: minimum).check(at: Self.now)
                return nil
            } catch {
                return error
            }
        }
        for (seconds, minimum, isRefused) in [
            (59, 60, true), (60, 60, false), (2, 1, false), (0, 1, true), (366 * 86_400, 60, false),
            (366 * 86_400 + 1, 60, true),
        ] as [(Int64, Int64, Bool)] {
            let error = error(after: seconds, minimum: .seconds(minimum))
            #expect(error?.code == (isRefused ? .expiry : nil), "\(seconds)")
            if isRefused { #expect(error?.field == "expiresAt") }
        }
    }

    @Test("A price that depends on the type of the card needs a merchant that can check it")
    func cardTypes() throws {
        let merchant = try #require(Shop.registry?.merchants.last)
        let request = try OfferRequest(parsing: Array(FullOrder.cards.utf8))
        let error = #expect(throws: OfferError.self) { try OfferRules(request, of: merchant).check(at: Self.now) }
        #expect(error?.code == .uncheckedCardType)
        #expect(error?.field == "cardTypes")
    }

    @Test("The sheet asks for what the goods need")
    func fields() throws {
        func fields(_ text: String) throws -> [ContactField] {
            try OfferRequest(parsing: Array(text.utf8)).requiredShippingFields
        }
        #expect(try fields(FullOrder.json) == [.name, .phone, .postalAddress])
        #expect(try fields(FullOrder.subscription) == [.email])
        #expect(try fields(FullOrder.pickup) == [])
        #expect(Shop.request.requiredShippingFields == [])
    }
}
