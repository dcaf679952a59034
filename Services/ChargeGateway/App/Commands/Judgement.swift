import Charging
import Contracts

/// A command that may be given to its order's machine.
enum Judgement: Sendable {
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
enum CommandRefusal: Error, Sendable {
    /// Its ticket's key is not here yet: the partition waits.
    case wait(TicketWait)
    /// It is ours, and what it needs is not here: it waits among the dead letters, without an outcome, for a person.
    case setAside(Alarm)
    /// It is none of ours, or nobody's.
    case deadLetter(String)
}

/// A ticket is signed with a key that is not here: our fault, and it may come yet.
struct TicketWait: Error, Sendable, CustomStringConvertible {
    let description: String
}
