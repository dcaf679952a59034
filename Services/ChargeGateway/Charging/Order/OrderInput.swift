import Contracts

/// What an order learns.
public enum OrderInput: Hashable, Sendable {
    /// A command to charge it, its ticket verified; `isReadable` tells whether all of the command could be read.
    case charge(Charge, isReadable: Bool)
    /// A command to close it unpaid.
    case cancel(CancelRequested)
    /// Something about one of its operations.
    case operation(OperationID, OperationInput)
}
