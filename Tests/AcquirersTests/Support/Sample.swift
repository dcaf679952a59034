import Contracts
import OrchardCrypto
import Testing

@testable import Charging

/// A card, its payment and its order, with the values of the worked example in UnionPay's documentation where it has any.
enum Sample {
    static let account = "777290058110048"
    static let time = Timestamp(rfc3339: "2026-11-21T07:03:22Z") ?? Timestamp(seconds: 0)
    /// A `queryId`.
    static let serial = "782611211503220000018"
    static let pan = "6259020040003629"
    static let pin = "81103e8d9ea8afc5c6147b09e7cd2d8db88b82080021"
    static let emv = "nyYI/RZhrTzcBF+fNgIAAYECACGDBN6tvu8="

    static func charge(
        _ orderNumber: String = "a3f1c29e7b0d4f5c8e6a1b2c3d4e5f60", fen: Int64 = 10_000, currency: Currency = .cny,
        account: String = account, kind: OperationKind = .sale, at time: Timestamp = time
    ) throws -> Charge {
        Charge(
            order: OrderID(hash: SHA256.hash("order \(orderNumber)")),
            payment: PaymentID(hash: SHA256.hash("payment \(orderNumber)")),
            merchant: MerchantID(hash: SHA256.hash("merchant")), kind: kind, revision: 1,
            amount: Money(minorUnits: fen, currency: currency), expiresAt: time + .seconds(600), signedAt: time,
            card: CardSummary(network: .chinaUnionPay, lastFour: "3629", paymentData: .emv), route: nil,
            reference: AcquirerReference(
                acquirer: "unionpay", account: account, orderNumber: orderNumber, time: time))
    }

    /// What follows the charge, by a command of the shop.
    ///
    /// - Parameters:
    ///   - name: of the command.
    ///   - serial: the acquirer's number of the original; nil when it is not known.
    ///   - original: what it follows, when that is not the charge.
    static func followUp(
        _ kind: FollowUpKind, target: OperationKind? = nil, of charge: Charge, _ name: String = "command",
        fen: Int64? = nil, serial: String? = serial, original: AcquirerReference? = nil, at time: Timestamp = time
    ) throws -> FollowUp {
        FollowUp(
            order: charge.order, payment: charge.payment, merchant: charge.merchant, kind: kind, target: target,
            cause: .command(CommandID(hash: SHA256.hash(name))), causedAt: time,
            amount: fen.map { Money(minorUnits: $0, currency: charge.amount.currency) } ?? charge.amount,
            original: try original ?? #require(charge.reference), originalSerial: serial, attempt: 0)
    }

    /// A card with those fields changed; an empty text leaves the field out.
    static func card(_ changes: [CardData.Field: String] = [:]) throws -> CardData {
        let fields: [CardData.Field: String] = [
            .accountNumber: pan, .expirationDate: "301231", .cardholderName: "tom", .emvData: emv, .encryptedPIN: pin,
        ].merging(changes) { $1 }
        var builder = CardData.Builder()
        for field in CardData.Field.allCases {
            if let text = fields[field], !text.isEmpty { try builder.add(field, text.utf8) }
        }
        return try builder.finish()
    }
}
