import LedgerFixtures
import OrchardHTTPTypes

/// Orders that cannot be opened.
extension WrongInputTests {
    static func order(_ line: String, _ more: String = "", currency: String = #""CNY""#) -> String {
        #"{"currency":\#(currency),"lines":[{\#(line)}]\#(more)}"#
    }

    private static func opening(
        _ name: String, _ body: String, _ status: Int, _ field: String, code: String = "invalid-body"
    ) -> Case {
        Case("an order \(name)", .post, "/v1/orders", as: .shop, body, status, code, field)
    }

    static let tea = #""label":"Tea","unitAmount":"12.50""#
    private static let large = #""label":"Gold","unitAmount":"50000000000000000.00""#
    static let payment = Shop.paymentID(1)

    private static func lines(_ count: Int) -> String {
        #"{"currency":"CNY","lines":["#
            + [String](repeating: #"{"label":"T","unitAmount":"0.01"}"#, count: count).joined(separator: ",") + "]}"
    }

    static let openings = [
        opening("that is cut off", #"{"currency":"CNY","#, 400, "currency"),
        Case("an order without a body", .post, "/v1/orders", as: .shop, 415, "unsupported-media-type"),
        opening("that is blank", " ", 400, ""),
        opening("that is a list", "[]", 400, ""),
        opening("with 201 lines", lines(201), 422, "lines[200]"),
        Case("an order with 10,000 lines", .post, "/v1/orders", as: .shop, lines(10_000), 413, "request-refused", ""),
        opening(
            "whose lines overflow together", #"{"currency":"CNY","lines":[{\#(large)},{\#(large)}]}"#, 422,
            "lines[1].unitAmount", code: "invalid-offer"),
        opening(
            "with too many decimals for yen", #"{"currency":"JPY","lines":[{\#(tea)}]}"#, 422, "lines[0].unitAmount"),
        opening(
            "with a coupon twice",
            order(tea, #","coupons":[{"code":"A","label":"A","percent":1},{"code":"a","label":"B","percent":2}]"#), 422,
            "coupons"),
        opening(
            "that starts with a coupon it does not have", order(tea, #","couponCode":"B""#), 422, "couponCode",
            code: "invalid-offer"),
        opening(
            "shipped to no country",
            order(
                tea,
                #","shippingMethods":[{"identifier":"a","label":"A","detail":"d","amount":"0.00","regions":["China"]}]"#
            ),
            422, "shippingMethods[0].regions[0]"),
        opening(
            "picked up in no country",
            order(
                tea,
                #","shippingType":"storePickup","pickup":{"addressLines":["1 Rd"],"locality":"X","countryCode":"China"}"#
            ), 422, "pickup", code: "invalid-offer"),
        opening(
            "with a minus for an extra line", order(tea, #","extraLines":[{"label":"G","amount":"-1.00"}]"#), 422,
            "extraLines[0].amount"),
        opening("to be captured at some time", order(tea, #","captureMode":"later""#), 422, "captureMode"),
        opening(
            "of a sale with a pending total", order(tea, #","pendingTotal":true"#), 422, "pendingTotal",
            code: "invalid-offer"),
        opening("with text behind it", order(tea) + "x", 400, ""),
        opening("with a member twice", order(tea + #","label":"Cup""#), 400, "lines[0].label"),
        opening("with currency twice", #"{"currency":"CNY","currency":"JPY","lines":[]}"#, 400, "currency"),
        opening("with an unknown member", order(tea, #","discount":1"#), 422, "discount"),
        opening("without a currency", #"{"lines":[{\#(tea)}]}"#, 422, "currency"),
        opening("in no currency", order(tea, currency: #""XXX""#), 422, "currency"),
        opening("in lower case", order(tea, currency: #""cny""#), 422, "currency"),
        opening("in a number", order(tea, currency: "156"), 400, "currency"),
        opening("without lines", #"{"currency":"CNY"}"#, 422, "lines"),
        opening("with no line", #"{"currency":"CNY","lines":[]}"#, 422, "lines"),
        opening("with null for lines", #"{"currency":"CNY","lines":null}"#, 400, "lines"),
        opening("with a line without a label", order(#""unitAmount":"1.00""#), 422, "lines[0].label"),
        opening(
            "with a label of 129 bytes",
            order(#""unitAmount":"1.00","label":"\#(String(repeating: "x", count: 129))""#),
            422, "lines[0].label"),
        opening("without a price", order(#""label":"Tea""#), 422, "lines[0].unitAmount"),
        opening("with a negative price", order(#""label":"Tea","unitAmount":"-1.00""#), 422, "lines[0].unitAmount"),
        opening("with a negative decimal", order(#""label":"Tea","unitAmount":"-0.01""#), 422, "lines[0].unitAmount"),
        opening("with a fraction of a fen", order(#""label":"Tea","unitAmount":"0.001""#), 422, "lines[0].unitAmount"),
        opening("with a floating-point price", order(#""label":"Tea","unitAmount":12.5"#), 400, "lines[0].unitAmount"),
        opening("with an exponent", order(#""label":"Tea","unitAmount":1e3"#), 400, "lines[0].unitAmount"),
        opening(
            "with a price beyond 64 bits", order(#""label":"Tea","unitAmount":"92233720368547758.08""#), 422,
            "lines[0].unitAmount"),
        opening("with a price of true", order(#""label":"Tea","unitAmount":true"#), 400, "lines[0].unitAmount"),
        opening("priced in minor units", order(#""label":"Tea","unitAmount":1250"#), 400, "lines[0].unitAmount"),
        opening(
            "priced in minor units as text", order(#""label":"Tea","unitAmount":"1250""#), 422, "lines[0].unitAmount"),
        opening("of no pieces", order(tea + #","quantity":0"#), 422, "lines[0].quantity"),
        opening("of a million and one pieces", order(tea + #","quantity":1000001"#), 422, "lines[0].quantity"),
        opening(
            "that overflows", order(#""label":"T","unitAmount":"92233720368547758.07","quantity":2"#), 422,
            "lines[0].unitAmount", code: "invalid-offer"),
        opening(
            "whose taxes overflow",
            #"{"currency":"CNY","lines":[{\#(tea),"tax":"92233720368547758.07"},{\#(tea),"tax":"0.01"}]}"#, 422,
            "lines[1].tax",
            code: "invalid-offer"),
        opening(
            "too large for the books",
            order(#""label":"T","unitAmount":"92233720368547758.07","tax":"92233720368547758.07""#), 422, "lines",
            code: "invalid-offer"),
        opening(
            "above the merchant's limit", order(#""label":"Tea","unitAmount":"50000.01""#), 422, "lines",
            code: "invalid-offer"),
        opening("for nothing", order(#""label":"Tea","unitAmount":"0.00""#), 422, "lines", code: "invalid-offer"),
        opening(
            "with a larger discount", order(tea, #","discounts":[{"label":"D","amount":"12.51"}]"#), 422, "discounts",
            code: "invalid-offer"),
        opening(
            "with a negative discount", order(tea, #","discounts":[{"label":"D","amount":"-0.01"}]"#), 422,
            "discounts[0].amount"),
        opening(
            "shipped in no way", order(tea, #","shippingMethod":"post""#), 422, "shippingMethod", code: "invalid-offer"),
        opening(
            "for another payee", order(tea, #","payee":"\#(Shop.otherMerchant)""#), 422, "payee", code: "invalid-offer"),
        opening("for a payee that is no id", order(tea, #","payee":"me""#), 422, "payee"),
        opening(
            "with a reference of 65 bytes", order(tea, #","reference":"\#(String(repeating: "x", count: 65))""#), 422,
            "reference"),
        opening("with a NUL in its reference", order(tea, #","reference":"A\u0000""#), 422, "reference"),
        Case(
            "an order that is no UTF-8", .post, "/v1/orders", as: .shop,
            bytes: Array(#"{"currency":"CNY","lines":[{"label":""#.utf8) + [0xC3, 0x28] + Array(#""}]}"#.utf8), 400,
            "invalid-body", "lines[0].label"),
        Case(
            "an order with a byte order mark", .post, "/v1/orders", as: .shop,
            bytes: [0xEF, 0xBB, 0xBF] + Array(order(tea).utf8), 400, "invalid-body", ""),
        Case(
            "an order 33 deep", .post, "/v1/orders", as: .shop, String(repeating: "[", count: 33), 400, "invalid-body"),
        Case(
            "an order of 64 KiB and a byte", .post, "/v1/orders", as: .shop,
            bytes: Array(order(tea).utf8) + [UInt8](repeating: 0x20, count: 65_537 - order(tea).utf8.count), 413,
            "request-refused"),
        Case(
            "an order as text", .post, "/v1/orders", as: .shop, order(tea), fields: ["Content-Type": "text/plain"], 415,
            "unsupported-media-type"),
        Case(
            "an order without a type", .post, "/v1/orders", as: .shop, order(tea), fields: [:], 415,
            "unsupported-media-type"),
        Case(
            "an Idempotency-Key with a blank", .post, "/v1/orders", as: .shop, order(tea),
            fields: ["Content-Type": "application/json", "Idempotency-Key": "a b"], 400, "bad-idempotency-key",
            "Idempotency-Key"),
        Case(
            "an Idempotency-Key of 256 bytes", .post, "/v1/orders", as: .shop, order(tea),
            fields: ["Content-Type": "application/json", "Idempotency-Key": String(repeating: "k", count: 256)], 400,
            "bad-idempotency-key", "Idempotency-Key"),
    ]
}
