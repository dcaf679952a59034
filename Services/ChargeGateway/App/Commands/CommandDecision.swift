import Charging
import Contracts
import OrchardServiceKit

/// A command that may be given to its order's machine.
enum CommandDecision: Sendable {
    /// The ticket is verified and names this order; without card data the command could not be read.
    case charge(Charge, StoredOrder.Arrival)
    /// order-ledger signed it, for this partition.
    case cancel(CancelRequested)

    var order: OrderID {
        switch self {
        case .charge(let charge, _): charge.order
        case .cancel(let command): command.order
        }
    }
}

/// Why a command is not given to any machine.
enum UnprocessableCommand: Error, Sendable {
    /// Its ticket's key is not here yet, or a newer version wrote it: the partition waits.
    case wait(CommandWait)
    /// It is ours, and what it needs is not here: it waits among the dead letters, without an outcome, for a person.
    /// With the ticket when its merchant is what is missing.
    case setAside(Alarm, merchantOf: OrderTicket? = nil)
    /// It is none of ours, or nobody's.
    case deadLetter(String)
}

/// A command that must not be skipped and cannot be taken yet.
struct CommandWait: TransientError, CustomStringConvertible {
    let description: String
    /// Whether what it waits for may come by itself, as a ticket's key; a newer version does not.
    let isTransient: Bool
}
