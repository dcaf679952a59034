import Foundation

/// The shop's server's answer to its app: what `POST /v1/orders` of order-ledger gave it, as it is. The app opens no
/// order itself, for it has no API key.
public struct OpenedOrder: Decodable, Sendable {
    public let orderId: String
    /// The credential for this order and this price. Each change of the price brings another one.
    public internal(set) var ticket: String
    let passKitRequest: PassKitRequest
}

struct SheetAnswer: Decodable, Sendable {
    let ticket: String
    let passKitUpdate: Update

    struct Update: Decodable, Sendable {
        let paymentSummaryItems: [SummaryItem]
        let shippingMethods: [ShippingMethod]?
        let errors: [SheetError]?
    }
}

struct FreshTicket: Decodable, Sendable { let ticket: String }

struct Accepted: Decodable, Sendable { let paymentId: String }

struct PaymentAnswer: Decodable, Sendable {
    /// `processing`, `confirming`, `paid`, `authorised`, `declined`, `refused` or `expired`.
    let status: String
    /// Whether waiting longer can change nothing.
    let final: Bool
    /// A sentence for the customer.
    let message: String?
    let applePay: ApplePay
}

struct ApplePay: Decodable, Sendable {
    let passKit: PassKit

    struct PassKit: Decodable, Sendable {
        /// The raw value of `PKPaymentAuthorizationStatus`.
        let status: Int
        let errors: [SheetError]
    }
}

/// An answer that refuses (RFC 9457).
struct Problem: Error, Sendable {
    let status: Int
    let code: String
    let paymentId: String?
    let applePay: ApplePay?

    init(_ answer: OrchardAPI.Answer) {
        struct Members: Decodable {
            let code: String?
            let paymentId: String?
            let applePay: ApplePay?
        }
        let members = try? JSONDecoder().decode(Members.self, from: answer.body)
        status = answer.status
        code = members?.code ?? ""
        (paymentId, applePay) = (members?.paymentId, members?.applePay)
    }
}
