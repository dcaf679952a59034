import Contracts
import LedgerFixtures
import OrchardJSON
import Testing

@testable import Ledger

@Suite("Requests of a shop")
struct OfferRequestTests {
    private func parse(_ text: String) throws(JSONError) -> OfferRequest {
        try OfferRequest(parsing: Array(text.utf8))
    }

    @Test("Amounts are decimals, and the currency may come last")
    func amounts() throws {
        let request = try parse(
            """
            {"lines":[{"label":"Tea","unitAmount":"12.50","quantity":2,"tax":"1.50"},{"label":"Cup","unitAmount":"9.00"}],
             "discounts":[{"label":"Welcome","amount":"1.00"}],
             "shippingMethods":[{"identifier":"post","label":"Post","detail":"","amount":"8.00"}],"currency":"CNY"}
            """)
        #expect(request.lines.map(\.unitAmount) == [1_250, 900])
        #expect(request.lines.map(\.tax) == [150, 0])
        #expect(request.lines.map(\.quantity) == [2, 1])
        #expect(request.discounts.map(\.amount) == [100])
        #expect(request.shippingMethods.map(\.amount) == [800])
        #expect(request.shippingMethod == "post", "the first method is the one the sheet starts with")
    }

    @Test(
        "An amount that may be meant as a hundred times more or less is refused, with a message that shows the form",
        arguments: [
            ("CNY", "100", "100.00"), ("CNY", #""100""#, "100.00"), ("CNY", #""12.5""#, "100.00"),
            ("CNY", "12.50", "100.00"), ("CNY", #""12.500""#, "100.00"), ("JPY", "100", "100"),
            ("JPY", #""100.00""#, "100"), ("KWD", #""1.50""#, "100.000"),
        ])
    func otherForms(_ currency: String, _ amount: String, _ example: String) {
        for (field, order) in Self.orders(in: currency, with: amount) {
            let error = #expect(throws: JSONError.self, "\(field)") { try parse(order) }
            #expect(error?.path == field)
            #expect(error?.reason.contains("as in \"\(example)\"") == true, "\(String(describing: error))")
        }
    }

    /// Orders with `amount` in each member that is a price.
    private static func orders(in currency: String, with amount: String) -> [(field: String, text: String)] {
        let good = currency == "JPY" ? #""1""# : currency == "KWD" ? #""1.000""# : #""1.00""#
        let line = #""label":"T","unitAmount":\#(good)"#
        let method = #""identifier":"a","label":"P","amount":\#(good)"#
        let parts = [
            ("lines[0].unitAmount", #""lines":[{"label":"T","unitAmount":\#(amount)}]"#),
            ("lines[0].tax", #""lines":[{\#(line),"tax":\#(amount)}]"#),
            ("discounts[0].amount", #""lines":[{\#(line)}],"discounts":[{"label":"D","amount":\#(amount)}]"#),
            (
                "shippingMethods[0].amount",
                #""lines":[{\#(line)}],"shippingMethods":[{"identifier":"a","label":"P","amount":\#(amount)}]"#
            ),
            ("shippingMethods[0].tax", #""lines":[{\#(line)}],"shippingMethods":[{\#(method),"tax":\#(amount)}]"#),
        ]
        return parts.map { ($0.0, #"{"currency":"\#(currency)",\#($0.1)}"#) }
    }

    @Test("Decimals follow the currency's exponent", arguments: [("JPY", "1500", 1_500), ("KWD", "1.234", 1_234)])
    func exponents(_ currency: String, _ amount: String, _ units: Int64) throws {
        let request = try parse(
            #"{"currency":"\#(currency)","lines":[{"label":"Tea","unitAmount":"\#(amount)"}]}"#)
        #expect(request.lines[0].unitAmount == units)
    }

    @Test("The canonical text reads back as the same request")
    func roundTrip() throws {
        #expect(try OfferRequest(parsing: Shop.request.json) == Shop.request)
    }

    @Test(
        "The canonical text of everything an order can have reads back, and a repeated body is the same request",
        arguments: FullOrder.all)
    func wholeRoundTrip(_ text: String) throws {
        let request = try parse(text)
        #expect(try OfferRequest(parsing: request.json) == request)
    }

    @Test("Members at their defaults are left out, so that older texts keep their digest")
    func defaults() {
        #expect(
            String(decoding: Shop.request.json, as: UTF8.self) == """
                {"currency":"CNY","discounts":[{"amount":"5.00","label":"Welcome"}],\
                "lines":[{"label":"Tea","quantity":2,"tax":"6.00","unitAmount":"50.00"}],"shippingMethod":"post",\
                "shippingMethods":[{"amount":"8.00","detail":"3 days","identifier":"post","label":"Post","tax":"0.00"},\
                {"amount":"20.00","detail":"","identifier":"courier","label":"Courier","tax":"1.20"}]}
                """)
    }

    @Test(
        "What the sheet cannot show is refused with its member",
        arguments: [
            (#""captureMode":"later""#, "captureMode"), (#""pendingTotal":"yes""#, "pendingTotal"),
            (#""multiTokenContexts":[]"#, "multiTokenContexts"),
            (#""coupons":[{"code":"A","label":"A","percent":5},{"code":"a","label":"A","percent":6}]"#, "coupons"),
            (#""coupons":[{"code":"A","label":"A","percent":5,"amount":"1.00"}]"#, "coupons[0]"),
            (#""coupons":[{"code":"A","label":"A","percent":101}]"#, "coupons[0].percent"),
            (#""coupons":[{"code":"A B","label":"A","percent":1}]"#, "coupons[0].code"),
            (#""cardTypes":[]"#, "cardTypes"), (#""cardTypes":["gold"]"#, "cardTypes[0]"),
            (
                #""cardTypePrices":[{"cardTypes":["credit"],"label":"A","surcharge":"1.00"},{"cardTypes":["credit"],"label":"B","discount":"1.00"}]"#,
                "cardTypePrices"
            ),
            (#""extraLines":[{"label":"A","amount":"-1.00"}]"#, "extraLines[0].amount"),
            (
                #""shippingMethods":[{"identifier":"a","label":"A","amount":"1.00","regions":["China"]}]"#,
                "shippingMethods[0].regions[0]"
            ),
            (
                #""shippingMethods":[{"identifier":"a","label":"A","amount":"1.00","arrival":{"from":"2026-02-29","to":"2026-03-01"}}]"#,
                "shippingMethods[0].arrival.from"
            ),
            (
                #""shippingMethods":[{"identifier":"a","label":"A","amount":"1.00","arrival":{"from":"2026-03-02","to":"2026-03-01"}}]"#,
                "shippingMethods[0].arrival"
            ),
            (
                #""automaticReload":{"paymentDescription":"A","managementURL":"http://a.example","automaticReloadBilling":{"label":"A","amount":"1.00","thresholdAmount":"1.00"}}"#,
                "automaticReload.managementURL"
            ),
            (#""recurringPayment":{"paymentDescription":"A"}"#, "recurringPayment.regularBilling"),
            (#""language":"fr""#, "language"), (#""metadata":{"a":1}"#, "metadata.a"),
            (#""shippingContactFields":["fax"]"#, "shippingContactFields[0]"),
        ])
    func sheetRefusals(_ member: String, _ path: String) {
        let error = #expect(throws: JSONError.self) {
            try parse(#"{"currency":"CNY","lines":[{"label":"T","unitAmount":"1.00"}],\#(member)}"#)
        }
        #expect(error?.path == path)
    }

    @Test("The digest of an offer changes with extra lines, coupon and card price")
    func offerDigest() throws {
        let full = try parse(FullOrder.json)
        let cards = try parse(FullOrder.cards)
        let digests = [
            try Offer(full, revision: 1).digest,
            try Offer(full, revision: 1, OfferChoice(shippingMethod: "post", coupon: 1)).digest,
            full.linesDigest, try Offer(cards, revision: 1).digest,
            try Offer(cards, revision: 1, OfferChoice(cardType: .credit)).digest,
        ]
        #expect(Set(digests).count == digests.count)
        #expect(try Offer(Shop.request, revision: 1).digest == Shop.request.linesDigest)
    }

    @Test(
        "What is refused names its member",
        arguments: [
            (#"{"lines":[{"label":"Tea","unitAmount":"1.00"}]}"#, "currency", JSONError.Code.missing),
            (#"{"currency":"XXX","lines":[]}"#, "currency", .value),
            (#"{"currency":"CNY"}"#, "lines", .missing),
            (#"{"currency":"CNY","lines":[]}"#, "lines", .value),
            (#"{"currency":"CNY","lines":[{"label":"Tea","unitAmount":1.5}]}"#, "lines[0].unitAmount", .type),
            (#"{"currency":"CNY","lines":[{"label":"Tea","unitAmount":"1.234"}]}"#, "lines[0].unitAmount", .value),
            (#"{"currency":"CNY","lines":[{"label":"Tea","unitAmount":"-0.01"}]}"#, "lines[0].unitAmount", .value),
            (#"{"currency":"CNY","lines":[{"label":"Tea","unitAmount":"-1.00"}]}"#, "lines[0].unitAmount", .value),
            (#"{"currency":"CNY","lines":[{"label":"","unitAmount":"1.00"}]}"#, "lines[0].label", .value),
            (
                #"{"currency":"CNY","lines":[{"label":"Tea","unitAmount":"1.00","quantity":0}]}"#, "lines[0].quantity",
                .range
            ),
            (
                #"{"currency":"CNY","lines":[{"label":"Tea","unitAmount":"1.00","label":"T"}]}"#, "lines[0].label",
                .duplicate
            ),
            (
                #"{"currency":"CNY","lines":[{"label":"Tea","unitAmount":"1.00"}],"discount":"1.00"}"#, "discount",
                .unknown
            ),
            (
                #"{"currency":"CNY","lines":[{"label":"T","unitAmount":"1.00"}],"shippingMethods":[{"identifier":"a b","label":"P","amount":"1.00"}]}"#,
                "shippingMethods[0].identifier", .value
            ),
            (
                #"{"currency":"CNY","lines":[{"label":"T","unitAmount":"1.00"}],"shippingMethods":[{"identifier":"a","label":"P","amount":"1.00"},{"identifier":"a","label":"Q","amount":"1.00"}]}"#,
                "shippingMethods", .value
            ),
        ])
    func refusals(_ text: String, _ path: String, _ code: JSONError.Code) {
        let error = #expect(throws: JSONError.self) { try parse(text) }
        #expect(error?.path == path)
        #expect(error?.code == code)
    }

    @Test("An order has at most 200 lines")
    func lineLimit() throws {
        let line = #"{"label":"Tea","unitAmount":"1.00"}"#
        func text(_ count: Int) -> String {
            #"{"currency":"CNY","lines":[\#(Array(repeating: line, count: count).joined(separator: ","))]}"#
        }
        #expect(try parse(text(200)).lines.count == 200)
        #expect(throws: JSONError.self) { try parse(text(201)) }
    }

    @Test("The digest of the lines changes with every part of the lines, not with the shipping")
    func linesDigest() {
        let request = Shop.request
        func with(lines: [OfferLine]? = nil, discounts: [OfferDiscount]? = nil, methods: [ShippingMethod]? = nil)
            -> [UInt8]
        {
            OfferRequest(
                currency: request.currency, lines: lines ?? request.lines, discounts: discounts ?? request.discounts,
                shippingMethods: methods ?? request.shippingMethods
            ).linesDigest
        }
        #expect(with() == request.linesDigest)
        #expect(with(methods: []) == request.linesDigest)
        #expect(with(discounts: []) != request.linesDigest)
        let changed = [
            OfferLine(label: "Tee", unitAmount: 5_000, quantity: 2, tax: 600),
            OfferLine(label: "Tea", unitAmount: 5_001, quantity: 2, tax: 600),
            OfferLine(label: "Tea", unitAmount: 5_000, quantity: 3, tax: 600),
            OfferLine(label: "Tea", unitAmount: 5_000, quantity: 2, tax: 601),
        ]
        for line in changed { #expect(with(lines: [line]) != request.linesDigest) }
    }
}
