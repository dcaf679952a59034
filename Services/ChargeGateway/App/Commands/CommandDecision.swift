import Charging
import Contracts
import OrchardServiceKit
import Outbox

/// A verified command, ready for its order's machine.
enum CommandDecision: Sendable {
    /// The ticket is verified and names this order; without card data the command could not be read.
    case charge(Charge, StoredOrder.Arrival)
    /// order-ledger signed it, for this partition.
    case close(CloseRequested)
    /// order-ledger signed it, for this partition.
    case followUp(FollowUpRequested)

    /// Whether nothing is to be sent for it.
    var isClose: Bool { if case .close = self { true } else { false } }

    var order: OrderID {
        switch self {
        case .charge(let charge, _): charge.order
        case .close(let command): command.order
        case .followUp(let command): command.order
        }
    }

    /// nil when it is about the order alone.
    var payment: PaymentID? {
        switch self {
        case .charge(let charge, _): charge.payment
        case .close: nil
        case .followUp(let command): command.payment
        }
    }
}

/// Why a command reaches no machine.
enum UnprocessableCommand: Error, Sendable {
    /// Its ticket's key is not here yet, or a newer version wrote it: the partition waits.
    case wait(CommandWait)
    /// It is ours, and something it needs is missing. It waits among the dead letters, without an outcome, for an operator.
    /// It has the ticket when the merchant is missing.
    case setAside(Alarm, merchantOf: OrderTicket? = nil)
    /// It is not a command of ours.
    case deadLetter(String)

    /// A command of an order whose rows cannot be read: nobody can say what it would do. It waits for a newer version when
    /// that may have written them.
    static func damaged(_ decision: CommandDecision, _ error: any Error) -> UnprocessableCommand {
        if let error = error as? StoreError, error.code == .unknownWord {
            return .wait(
                CommandWait(
                    description: "the rows of order \(decision.order) in the database cannot be read (\(error)): the "
                        + "partition waits for a newer charge-gateway, or for a person who mends them",
                    isTransient: false))
        }
        return .setAside(
            Alarm(
                .damagedOrder, order: decision.order, payment: decision.payment,
                reason:
                    "the order's rows in the database cannot be read (\(error)); mend them, then run charge-gateway dlq "
                    + "replay"))
    }

    /// A charge that this version cannot read. The lost database may have sent it, and then a decline would be a guess.
    static func unreadable(_ charge: Charge, _ reason: String) -> UnprocessableCommand {
        .setAside(
            Alarm(
                .unreadableCharge, order: charge.order, payment: charge.payment,
                reason:
                    "the command cannot be read (\(reason)), and the database that was lost may have sent it: ask the acquirer; a "
                    + "newer charge-gateway may be able to read it, then run charge-gateway dlq replay"))
    }
}

/// A command that must not be skipped and cannot be processed yet.
struct CommandWait: TransientError, CustomStringConvertible {
    let description: String
    /// Whether it may go on by itself, as when a ticket's key arrives. A newer version needs an operator.
    let isTransient: Bool
}
