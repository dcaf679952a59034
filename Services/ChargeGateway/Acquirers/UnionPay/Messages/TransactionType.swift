import Charging
import Contracts

/// A kind of transaction, by its `txnType` and `txnSubType`.
enum TransactionType: String, CaseIterable, Sendable {
    case sale = "01/01"
    /// 预授权: holds an amount of the card.
    case authorisation = "02/01"
    /// 预授权完成: takes money of a hold, up to 115 % of it.
    case capture = "03/00"
    /// 退货
    case refund = "04/00"
    /// 消费撤销: of a sale, on its own UnionPay day.
    case saleVoid = "31/00"
    /// 预授权撤销: of a hold that was not captured.
    case authorisationVoid = "32/00"
    /// 预授权完成撤销: of a capture, on its own UnionPay day.
    case captureVoid = "33/00"

    init(_ charge: Charge) {
        self = charge.kind == .authorisation ? .authorisation : .sale
    }

    /// - Returns: nil for a void of what cannot be undone.
    init?(_ followUp: FollowUp) {
        switch (followUp.kind, followUp.target) {
        case (.capture, _): self = .capture
        case (.refund, _): self = .refund
        case (.void, .sale): self = .saleVoid
        case (.void, .authorisation): self = .authorisationVoid
        case (.void, .capture): self = .captureVoid
        case (.void, _): return nil
        }
    }

    /// The kind that a message names; nil when it is none of ours.
    init?(_ message: ACPMessage) {
        self.init(rawValue: "\(message["txnType"] ?? "")/\(message["txnSubType"] ?? "")")
    }

    var txnType: String { String(rawValue.prefix(2)) }
    var txnSubType: String { String(rawValue.suffix(2)) }

    /// Whether it charges a card; else it follows a charge.
    var isCharge: Bool { self == .sale || self == .authorisation }
}
