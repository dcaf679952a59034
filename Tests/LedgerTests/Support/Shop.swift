import Contracts
import JSON
import Testing

@testable import Ledger

/// A merchant and an order that the tests play with; everything fixed, so that hashes are.
enum Shop {
    static let merchant = OrchardMerchant.parsed
    static let otherMerchant = MerchantID(hash: [UInt8](repeating: 9, count: 32))
    static let order = orderID(1)
    static let partitions: Int32 = 4
    static var partition: Int32 { Partitioner.partition(of: order, among: partitions) }

    static func orderID(_ seed: UInt8) -> OrderID { OrderID(hash: [UInt8](repeating: seed, count: 32)) }
    static func paymentID(_ seed: UInt8) -> PaymentID { PaymentID(hash: [UInt8](repeating: seed, count: 32)) }

    static func totals(
        _ currency: Currency = .cny, subtotal: Int64 = 10_000, discount: Int64 = 500, shipping: Int64 = 800,
        tax: Int64 = 600
    ) throws -> OfferTotals {
        try #require(
            OfferTotals(currency: currency, subtotal: subtotal, discount: discount, shipping: shipping, tax: tax))
    }

    /// Tea for two, posted: 100.00 − 5.00 + 8.00 + 6.00.
    static let request = OfferRequest(
        currency: .cny,
        lines: [OfferLine(label: "Tea", unitAmount: 5_000, quantity: 2, tax: 600)],
        discounts: [OfferDiscount(label: "Welcome", amount: 500)],
        shippingMethods: [
            ShippingMethod(identifier: "post", label: "Post", detail: "3 days", amount: 800),
            ShippingMethod(identifier: "courier", label: "Courier", amount: 2_000, tax: 120),
        ])
}

private enum OrchardMerchant {
    static let parsed: Merchant? = try? MerchantRegistry(parsing: Array(json.utf8)).merchants.first

    static let json = """
        {"merchants": [{
          "id": "0190a0b0c0d0e0f00102030405060708", "displayName": "Orchard Tea", "countryCode": "CN",
          "networks": ["chinaUnionPay", "visa"],
          "applePay": {"merchantIdentifier": "merchant.example.tea", "keys": [{"key": "apple/key.pem"}]},
          "routes": [{"acquirer": "unionpay", "account": "777290058110048", "currencies": ["CNY"],
                      "paymentData": ["EMV"], "signingKey": "k.pem", "signingCertificate": "c.pem"}],
          "apiKeys": [{"id": "shop", "sha256": "\(String(repeating: "ab", count: 32))"}],
          "maximumAmounts": [{"currency": "CNY", "minorUnits": 5000000}]}]}
        """
}
