import Contracts
import OrchardHTTPTypes
import OrchardJSON

/// The answers of `POST /v1/payments` other than 202. They repeat no part of a token or ticket.
extension Problem {
    static let ticketMissing = Problem(
        .unauthorized, code: "ticket-missing", detail: "send the order ticket as Authorization: Bearer …",
        fields: ["WWW-Authenticate": "Bearer"])

    static func ticketRefused(_ error: TicketError) -> Problem {
        Problem(
            .unauthorized, code: error.code == .expired ? "ticket-expired" : "ticket-invalid", detail: error.reason,
            members: ["applePay": SheetResult(.failure).json],
            fields: ["WWW-Authenticate": "Bearer error=\"invalid_token\""])
    }

    static func malformedBody(_ error: JSONError) -> Problem {
        Problem(
            .badRequest, code: "invalid-body", detail: error.reason,
            members: [
                "field": .string(error.path), "reason": .string(error.code.description),
                "offset": .integer(Int64(error.offset)),
            ])
    }

    static func rejected(_ refusal: PaymentRejection, order: OrderID) -> Problem {
        Problem(
            .unprocessableContent, code: "payment-rejected", title: "The token cannot be charged",
            detail: refusal.message,
            members: [
                "stage": .string(refusal.stage), "reason": .string(refusal.reason),
                "orderId": .string(order.description),
                "applePay": SheetResult(.failure, errors: refusal.sheetErrors).json,
            ])
    }

    static func late(_ payment: PaymentID, order: OrderID, message: String) -> Problem {
        Problem(
            .conflict, code: "payment-late", title: "Too late to be taken now",
            detail: "\(message); the payment may have been taken before: ask for its status",
            members: ["orderId": .string(order.description), "paymentId": .string(payment.description)])
    }

    /// Kafka did not acknowledge in time. The command may or may not be there; repeating it does no harm.
    static func unacknowledged(_ payment: PaymentID, order: OrderID) -> Problem {
        Problem(
            .serviceUnavailable, code: "outcome-unknown",
            detail: "the payment may have been taken: repeat the same body with the same ticket, or ask for its status",
            members: [
                "orderId": .string(order.description), "outcome": "unknown",
                "paymentId": .string(payment.description),
            ], fields: ["Retry-After": "1"])
    }

    static let unsealable = Problem(
        .serviceUnavailable, code: "not-ready",
        detail: "nothing was taken: card data or the contact cannot be sealed now; repeat the same body in a moment",
        members: ["outcome": "notTaken"], fields: ["Retry-After": "2"])

    static let merchantMissing = Problem(
        .serviceUnavailable, code: "merchant-missing",
        detail: "nothing was taken: this worker does not know the merchant yet; repeat the same body in a moment",
        members: ["outcome": "notTaken"], fields: ["Retry-After": "2"])

    static let busy = Problem(
        .serviceUnavailable, code: "busy",
        detail: "nothing was taken: too many payments are in progress; repeat the same body in a moment",
        members: ["outcome": "notTaken"], fields: ["Retry-After": "2"])
}
