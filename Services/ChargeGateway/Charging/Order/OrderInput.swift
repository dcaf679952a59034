import Contracts

/// What an order learns.
public enum OrderInput: Hashable, Sendable {
    /// A command to charge it, its ticket verified; `isTokenUsed` tells whether its token is known to charge another
    /// order, `mayHaveBeenSent` whether a database that was lost may have taken the command before.
    case charge(Charge, isTokenUsed: Bool = false, mayHaveBeenSent: Bool = false)
    /// A command to close it unpaid.
    case cancel(CancelRequested)
    /// Something about one of its operations.
    case operation(OperationID, OperationInput)
}
