import Contracts
import Ledger
import OrchardCrypto
import OrchardJSON
import Testing

/// A merchant and an order that the tests play with; everything fixed, so that hashes are.
package enum Shop {
    package static var registryJSON: String { OrchardMerchant.json }
    package static let registry = try? MerchantRegistry(parsing: Array(OrchardMerchant.json.utf8))
    package static var merchant: Merchant? { registry?.merchants.first }
    /// The key of the merchant's server; the other merchant's is `other-key`. It looks like a ticket: keys are any text.
    package static let apiKey = "tea.key.1"
    /// A key that only reads.
    package static let readingKey = "tea.key.2"
    /// The same merchant's, which can open and cancel orders only.
    package static let orderingKey = "tea.key.3"
    package static let otherMerchant = MerchantID(hash: [UInt8](repeating: 9, count: 32))
    package static let order = orderID(1)
    /// A minute after the facts of the tests.
    package static let now = Timestamp(seconds: 1_700_000_160)
    package static let partitions: Int32 = 4
    package static var partition: Int32 { Partitioner.partition(of: order, among: partitions) }

    package static func orderID(_ seed: UInt8) -> OrderID { OrderID(hash: [UInt8](repeating: seed, count: 32)) }
    package static func paymentID(_ seed: UInt8) -> PaymentID { PaymentID(hash: [UInt8](repeating: seed, count: 32)) }

    package static func totals(
        _ currency: Currency = .cny, subtotal: Int64 = 10_000, discount: Int64 = 500, shipping: Int64 = 800,
        tax: Int64 = 600
    ) throws -> OfferTotals {
        try #require(
            OfferTotals(currency: currency, subtotal: subtotal, discount: discount, shipping: shipping, tax: tax))
    }

    /// Tea for two, posted: 100.00 − 5.00 + 8.00 + 6.00.
    package static let request = OfferRequest(
        currency: .cny,
        lines: [OfferLine(label: "Tea", unitAmount: 5_000, quantity: 2, tax: 600)],
        discounts: [OfferDiscount(label: "Welcome", amount: 500)],
        shippingMethods: [
            ShippingMethod(identifier: "post", label: "Post", detail: "3 days", amount: 800),
            ShippingMethod(identifier: "courier", label: "Courier", amount: 2_000, tax: 120),
        ])
}

private enum OrchardMerchant {
    static let json = """
        {"merchants": [{
          "id": "0190a0b0c0d0e0f00102030405060708", "displayName": "Orchard Tea", "countryCode": "CN",
          "networks": ["chinaUnionPay", "visa"],
          "applePay": {"merchantIdentifier": "merchant.example.tea", "keys": [{"key": "apple/key.pem"}]},
          "routes": [{"id": "unionpay-1", "acquirer": "unionpay", "environment": "test", "account": "777290058110048", "currencies": ["CNY"],
                      "paymentData": ["EMV"], "settings": {"signingKey": "k.pem", "signingCertificate": "c.pem"}}],
          "apiKeys": [{"id": "shop", "sha256": "\(hash("tea.key.1"))"},
                      {"id": "reports", "sha256": "\(hash("tea.key.2"))", "scopes": ["read"]},
                      {"id": "checkout", "sha256": "\(hash("tea.key.3"))", "scopes": ["orders"]}],
          "origins": ["https://tea.example"],
          "maximumAmounts": [{"currency": "CNY", "amount": "50000.00"}],
          "cardRanges": [{"prefix": "6217", "type": "debit"}, {"prefix": "6225", "type": "credit"}]},
         {"id": "0190a0b0c0d0e0f00102030405060709", "displayName": "Other", "countryCode": "CN",
          "networks": ["chinaUnionPay"],
          "applePay": {"merchantIdentifier": "merchant.example.other", "keys": [{"key": "apple/key.pem"}]},
          "routes": [{"id": "unionpay-1", "acquirer": "unionpay", "environment": "test", "account": "777290058110049", "currencies": ["CNY"],
                      "paymentData": ["EMV"], "settings": {"signingKey": "k.pem", "signingCertificate": "c.pem"}}],
          "apiKeys": [{"id": "shop", "sha256": "\(hash("other-key"))"}]}]}
        """

    private static func hash(_ key: String) -> String { Hex.encode(SHA256.hash(Array(key.utf8))) }
}
