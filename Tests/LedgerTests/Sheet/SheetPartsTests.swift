import Contracts
import LedgerFixtures
import OrchardJSON
import Testing

@testable import Ledger

@Suite("The parts of Apple's sheet")
struct SheetPartsTests {
    private func web(_ request: OfferRequest) throws -> JSONValue {
        let sheet = PaymentSheet(
            order: Shop.order, merchant: try #require(Shop.merchant),
            offer: try Offer(request, revision: 1, request.initialChoice))
        return try JSONValue(parsing: JSONWriter.object(sheet.writeRequest))
    }

    private func web(_ text: String) throws -> JSONValue { try web(OfferRequest(parsing: Array(text.utf8))) }

    @Test(
        "Credit and debit are asked of the card only where the order says which may pay",
        arguments: [
            (nil, []), ([.credit], ["supportsCredit"]), ([.debit], ["supportsDebit"]),
            ([.prepaid], ["supportsDebit"]), ([.debit, .credit], ["supportsCredit", "supportsDebit"]),
        ] as [([CardType]?, [String])])
    func capabilities(_ types: [CardType]?, _ expected: [String]) throws {
        var request = Shop.request
        request.cardTypes = types
        let found = try web(request)["merchantCapabilities"]?.array?.compactMap(\.string)
        #expect(found == ["supports3DS", "supportsEMV"] + expected)
    }

    @Test("The dates of a method's arrival are days, with an hour where the shop says one")
    func arrival() throws {
        let methods = try web(FullOrder.json)["shippingMethods"]?.array ?? []
        #expect(methods.map { $0["identifier"]?.string } == ["post", "courier"])
        #expect(methods.first?["dateComponentsRange"] == nil)
        let range: JSONValue = [
            "endDateComponents": ["days": 25, "hours": 18, "months": 11, "years": 2_026],
            "startDateComponents": ["days": 25, "hours": 0, "months": 11, "years": 2_026],
        ]
        #expect(methods.last?["dateComponentsRange"] == range)
    }

    @Test(
        "What the customer agrees to pay later has Apple's members",
        arguments: [
            (
                FullOrder.subscription, "recurringPaymentRequest",
                """
                {"billingAgreement":"Every month until you end it.","managementURL":"https://tea.example/account",\
                "paymentDescription":"Tea of the month","regularBilling":{"amount":"50.00","label":"Monthly",\
                "paymentTiming":"recurring","recurringPaymentIntervalCount":1,"recurringPaymentIntervalUnit":"month",\
                "recurringPaymentStartDate":"2026-12-25T00:00:00Z","type":"final"},\
                "trialBilling":{"amount":"30.00","label":"First month","paymentTiming":"recurring",\
                "recurringPaymentIntervalCount":30,"recurringPaymentIntervalUnit":"day","type":"final"}}
                """
            ),
            (
                FullOrder.deferred, "deferredPaymentRequest",
                """
                {"deferredBilling":{"amount":"90.00","deferredPaymentDate":"2026-12-25T00:00:00Z",\
                "label":"On arrival","paymentTiming":"deferred","type":"final"},\
                "freeCancellationDate":"2026-12-20T00:00:00Z","freeCancellationDateTimeZone":"Asia/Shanghai",\
                "managementURL":"https://tea.example/tours","paymentDescription":"Tea tour"}
                """
            ),
            (
                FullOrder.reload, "automaticReloadPaymentRequest",
                """
                {"automaticReloadBilling":{"amount":"50.00","automaticReloadPaymentThresholdAmount":"10.00",\
                "label":"Reload","paymentTiming":"automaticReload","type":"final"},\
                "managementURL":"https://tea.example/card","paymentDescription":"Tea card"}
                """
            ),
        ])
    func plan(_ order: String, _ member: String, _ expected: String) throws {
        #expect(try web(order)[member] == JSONValue(parsing: Array(expected.utf8)))
    }
}
