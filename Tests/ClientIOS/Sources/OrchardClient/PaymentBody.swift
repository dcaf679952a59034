import Foundation

#if canImport(PassKit)
    @preconcurrency import PassKit
#else
    import PassKitStub
#endif

/// What `POST /v1/payments` of token-ingest takes: the token, and the contacts that the customer authorised with it.
struct PaymentBody: Encodable {
    let token: Token
    let shippingContact: Contact?
    let billingContact: Contact?

    struct Token: Encodable {
        /// Apple's own JSON, with the encrypted card.
        let paymentData: [String: JSONText]
        let paymentMethod: CardClaim
        let transactionIdentifier: String
    }

    init(_ payment: PKPayment) throws {
        token = Token(
            paymentData: try JSONDecoder().decode([String: JSONText].self, from: payment.token.paymentData),
            paymentMethod: CardClaim(payment.token.paymentMethod),
            transactionIdentifier: payment.token.transactionIdentifier)
        shippingContact = payment.shippingContact.map(Contact.init)
        billingContact = payment.billingContact.map(Contact.init)
    }

    func data() throws -> Data { try JSONEncoder().encode(self) }
}

/// What the device says of the card. Nobody signed it.
struct CardClaim: Encodable, Sendable {
    let displayName: String?
    let network: String?
    let type: String?

    private static let types: [PKPaymentMethodType: String] = [
        .debit: "debit", .credit: "credit", .prepaid: "prepaid", .store: "store",
    ]

    init(_ method: PKPaymentMethod) {
        (displayName, network) = (method.displayName, method.network?.rawValue)
        type = Self.types[method.type]
    }
}

/// `paymentData` has texts and one object of texts.
enum JSONText: Codable {
    case text(String)
    case object([String: String])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            self = .text(text)
        } else {
            self = .object(try container.decode([String: String].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .object(let object): try container.encode(object)
        }
    }
}
