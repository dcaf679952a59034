import Foundation
import PassKitStub
import Testing

@testable import OrchardClient

@Suite("PassKit's request")
struct PassKitRequestTests {
    private static let goods = """
        "merchantIdentifier":"merchant.example.tea","merchantCapabilities":11,"supportedNetworks":["ChinaUnionPay","Visa"],
        "countryCode":"CN","currencyCode":"CNY","applicationData":"MDEwMQ==","paymentSummaryItems":[
          {"amount":"100.10","label":"Subtotal","type":0},{"amount":"-5.00","label":"Discount","type":0},
          {"amount":"95.10","label":"Tea House","type":1}]
        """

    private func request(_ more: String = "") throws -> PKPaymentRequest {
        let text = "{\(Self.goods)\(more)}"
        return try JSONDecoder().decode(PassKitRequest.self, from: Data(text.utf8)).request()
    }

    @Test("has what the order asks and costs: exact decimals, the total last, the order's id for Apple to sign")
    func goods() throws {
        let request = try request()
        #expect(request.merchantIdentifier == "merchant.example.tea" && request.merchantCapabilities.rawValue == 11)
        #expect(request.countryCode == "CN" && request.currencyCode == "CNY")
        #expect(request.supportedNetworks.map(\.rawValue) == ["ChinaUnionPay", "Visa"])
        #expect(request.applicationData == Data("0101".utf8))
        #expect(request.paymentSummaryItems.map(\.label) == ["Subtotal", "Discount", "Tea House"])
        #expect(request.paymentSummaryItems.map { "\($0.amount)" } == ["100.1", "-5", "95.1"])
        #expect(request.paymentSummaryItems.map(\.type) == [.final, .final, .pending])
        #expect(
            request.shippingMethods == nil && !request.supportsCouponCode && request.requiredShippingContactFields == []
        )
    }

    @Test("offers no network that this iOS does not know")
    func networks() throws {
        let request = try JSONDecoder().decode(OpenedOrder.self, from: Data(PlayedOrder.opened.utf8)).passKitRequest
        #expect(request.supportedNetworks.contains("Future"))
        #expect(request.request().supportedNetworks.map(\.rawValue) == ["ChinaUnionPay", "Visa"])
    }

    @Test("has how the goods arrive, and whom the sheet asks for")
    func shipping() throws {
        let request = try request(
            """
            ,"shippingType":1,"supportsCouponCode":true,"couponCode":"TEA10",
            "requiredShippingContactFields":["name","phoneNumber","postalAddress","emailAddress","phoneticName"],
            "requiredBillingContactFields":["postalAddress"],"billingContact":{"familyName":"Zhou"},
            "shippingMethods":[{"amount":"20.00","detail":"soon","identifier":"courier","label":"Courier",
              "dateComponentsRange":{"startDateComponents":{"days":25,"hours":0,"months":11,"years":2026},
                "endDateComponents":{"days":25,"hours":18,"months":11,"years":2026}}}]
            """)
        #expect(request.shippingType == .delivery && request.supportsCouponCode && request.couponCode == "TEA10")
        #expect(
            request.requiredShippingContactFields == [
                .name, .phoneNumber, .postalAddress, .emailAddress, .phoneticName,
            ])
        #expect(request.requiredBillingContactFields == [.postalAddress])
        #expect(request.billingContact?.name?.familyName == "Zhou")
        let method = try #require(request.shippingMethods?.first)
        #expect(method.identifier == "courier" && method.detail == "soon" && method.amount == 20)
        let range = try #require(method.dateComponentsRange)
        #expect(range.startDateComponents.day == 25 && range.endDateComponents.hour == 18)
        #expect(range.endDateComponents.year == 2026 && range.endDateComponents.month == 11)
    }

    @Test("shows the store of a pickup, and lets nobody change it")
    func pickup() throws {
        let request = try request(
            """
            ,"shippingType":2,"shippingContactEditingMode":2,"shippingContact":
            {"familyName":"Tea House","addressLines":["1 Nanjing Road","3F"],"locality":"Shanghai","countryCode":"CN"}
            """)
        #expect(request.shippingType == .storePickup && request.shippingContactEditingMode == .storePickup)
        let address = request.shippingContact?.postalAddress
        #expect(
            address?.street == "1 Nanjing Road\n3F" && address?.city == "Shanghai" && address?.isoCountryCode == "CN")
    }

    @Test("has what the customer agrees to pay later")
    func later() throws {
        let plan = #""managementURL":"https://tea.example","paymentDescription":"Tea""#
        let recurring = try request(
            """
            ,"recurringPaymentRequest":{\(plan),"billingAgreement":"Until you end it.",
             "regularBilling":{"amount":"50.00","label":"Monthly","paymentTiming":"recurring","type":"final",
               "recurringPaymentIntervalCount":2,"recurringPaymentIntervalUnit":"year",
               "recurringPaymentStartDate":"2026-12-25T00:00:00.500000Z"},
             "trialBilling":{"amount":"30.00","label":"First","paymentTiming":"recurring","type":"final",
               "recurringPaymentIntervalCount":30,"recurringPaymentIntervalUnit":"day"}}
            """
        ).recurringPaymentRequest
        #expect(recurring?.regularBilling.intervalUnit == .year && recurring?.regularBilling.intervalCount == 2)
        #expect(recurring?.regularBilling.startDate == Date(timeIntervalSince1970: 1_798_156_800))
        #expect(recurring?.trialBilling?.intervalUnit == .day && recurring?.trialBilling?.amount == 30)
        #expect(recurring?.billingAgreement == "Until you end it.")
        let deferred = try request(
            """
            ,"deferredPaymentRequest":{\(plan),"freeCancellationDate":"2026-12-20T00:00:00Z",
             "freeCancellationDateTimeZone":"Asia/Shanghai","deferredBilling":{"amount":"90.00","label":"On arrival",
             "deferredPaymentDate":"2026-12-25T00:00:00Z","paymentTiming":"deferred","type":"final"}}
            """
        ).deferredPaymentRequest
        #expect(deferred?.deferredBilling.deferredDate == Date(timeIntervalSince1970: 1_798_156_800))
        #expect(deferred?.freeCancellationDate != nil)
        #expect(deferred?.freeCancellationDateTimeZone?.identifier == "Asia/Shanghai")
        let reload = try request(
            """
            ,"automaticReloadPaymentRequest":{\(plan),"automaticReloadBilling":{"amount":"50.00","label":"Reload",
             "automaticReloadPaymentThresholdAmount":"10.00","paymentTiming":"automaticReload","type":"final"}}
            """
        ).automaticReloadPaymentRequest
        #expect(reload?.automaticReloadBilling.thresholdAmount == 10 && reload?.paymentDescription == "Tea")
    }

    @Test("A contact is the same on its way there and back")
    func contact() throws {
        let contact = Contact(
            givenName: "Ada", familyName: "Zhou", phoneticGivenName: "エイダ", phoneticFamilyName: "ジョウ",
            phoneNumber: "13800138000", emailAddress: "ada@tea.example", addressLines: ["1 Nanjing Road", "3F"],
            locality: "上海市", subLocality: "外滩", administrativeArea: "上海市", subAdministrativeArea: "黄浦",
            postalCode: "200001", country: "中国", countryCode: "CN")
        #expect(Contact(contact.contact()) == contact)
    }
}
