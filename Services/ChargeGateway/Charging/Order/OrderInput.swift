import Contracts

/// An input of an order.
public enum OrderInput: Hashable, Sendable {
    /// A command to charge it, its ticket verified; `isTokenUsed` tells whether its token is known to charge another
    /// order, `mayHaveBeenSent` whether a database that was lost may have taken the command before.
    case charge(Charge, isTokenUsed: Bool = false, mayHaveBeenSent: Bool = false)
    /// A command to close it unpaid.
    case close(CloseRequested)
    /// A command to capture, void or refund one of its payments, its signature verified; `hasRoute` tells whether its route is
    /// still there, `mayHaveBeenSent` whether a database that was lost may have taken the command before.
    case followUp(FollowUpRequested, hasRoute: Bool = true, mayHaveBeenSent: Bool = false)
    /// Something about one of its operations.
    case operation(OperationID, OperationInput)
}
