import Ledger

/// How far an order has come: what is counted by merchant. An order comes to each step at most once.
enum OrderStep: String, CaseIterable, Sendable {
    case opened
    /// A payment of it was accepted.
    case attempted
    /// A payment took or held its money.
    case taken
    case voided, cancelled, expired

    /// The steps that an order has come to, whatever happened to it later.
    static func reached(by order: OrderState?) -> Set<OrderStep> {
        guard let order, let status = order.status else { return [] }
        let attempted: Set<OrderStep> = order.payments.isEmpty ? [.opened] : [.opened, .attempted]
        switch status {
        case .open: return attempted
        case .authorised, .paid, .review: return attempted.union([.taken])
        case .voided: return attempted.union([.taken, .voided])
        case .cancelled: return attempted.union([.cancelled])
        case .expired: return attempted.union([.expired])
        }
    }
}
