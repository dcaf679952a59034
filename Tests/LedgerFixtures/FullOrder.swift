/// A body of `POST /v1/orders` that uses what an order can have.
package enum FullOrder {
    package static let json = """
        {"currency":"CNY","reference":"A-1001","lines":[{"label":"Tea","unitAmount":"50.00","quantity":2,"tax":"6.00"}],
         "extraLines":[{"label":"Gift wrap","amount":"5.00","tax":"0.30"}],
         "discounts":[{"label":"Welcome","amount":"5.00"}],
         "coupons":[{"code":"TEA10","label":"Tea week","percent":10},
                    {"code":"OLD","label":"Last year","amount":"1.00","expiresAt":"2020-01-01T00:00:00.000000Z"},
                    {"code":"ALL","label":"Everything","percent":100}],
         "shippingType":"delivery",
         "shippingMethods":[
           {"identifier":"post","label":"Post","detail":"3 days","amount":"8.00","regions":["CN"]},
           {"identifier":"courier","label":"Courier","amount":"20.00","tax":"1.20","regions":["CN/上海市","CN//100"],
            "arrival":{"from":"2026-11-25","to":"2026-11-25T18"}}],
         "shippingContactFields":["phone"],"billingContactFields":["postalAddress"],
         "language":"zh-Hans","metadata":{"cart":"17","channel":"app"},"environment":"test"}
        """

    /// For a merchant whose `cardRanges` know the types.
    package static let cards = """
        {"currency":"CNY","lines":[{"label":"Tea","unitAmount":"50.00"}],"cardTypes":["debit","credit"],
         "cardTypePrices":[{"cardTypes":["credit"],"label":"Card fee","surcharge":"1.00"}]}
        """

    package static let pickup = """
        {"currency":"CNY","lines":[{"label":"Tea","unitAmount":"50.00"}],"shippingType":"storePickup",
         "shippingMethods":[{"identifier":"today","label":"Today","detail":"from 14:00","amount":"0.00"}],
         "pickup":{"familyName":"Orchard Tea","addressLines":["1 Nanjing Road"],"locality":"Shanghai","countryCode":"CN"}}
        """

    package static let subscription = """
        {"currency":"CNY","lines":[{"label":"First box","unitAmount":"30.00"}],"digitalGoods":true,
         "recurringPayment":{"paymentDescription":"Tea of the month","managementURL":"https://tea.example/account",
           "regularBilling":{"label":"Monthly","amount":"50.00","startDate":"2026-12-25T00:00:00.000000Z"},
           "trialBilling":{"label":"First month","amount":"30.00","intervalUnit":"day","intervalCount":30},
           "billingAgreement":"Every month until you end it."}}
        """

    package static let deferred = """
        {"currency":"CNY","lines":[{"label":"Deposit","unitAmount":"30.00"}],
         "deferredPayment":{"paymentDescription":"Tea tour","managementURL":"https://tea.example/tours",
           "deferredBilling":{"label":"On arrival","amount":"90.00","date":"2026-12-25T00:00:00.000000Z"},
           "freeCancellationDate":"2026-12-20T00:00:00.000000Z","freeCancellationDateTimeZone":"Asia/Shanghai"}}
        """

    package static let reload = """
        {"currency":"CNY","lines":[{"label":"First reload","unitAmount":"50.00"}],
         "automaticReload":{"paymentDescription":"Tea card","managementURL":"https://tea.example/card",
           "automaticReloadBilling":{"label":"Reload","amount":"50.00","thresholdAmount":"10.00"}}}
        """

    package static let all = [json, cards, pickup, subscription, deferred, reload]
}
