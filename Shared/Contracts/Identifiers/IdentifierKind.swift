/// The kinds of things that have identifiers.
public enum IdentifierKind {
    /// Names the identifiers of orders.
    public enum Order {}
    /// Names the identifiers of payments.
    public enum Payment {}
    /// Names the identifiers of operations.
    public enum Operation {}
    /// Names the identifiers of merchants.
    public enum Merchant {}
    /// Names the identifiers of events.
    public enum Event {}
    /// Names the identifiers of commands.
    public enum Command {}
    /// Names the identifiers of attempts.
    public enum Attempt {}
    /// Names the identifiers of fulfilments.
    public enum Fulfilment {}
    /// Names the identifiers of differences.
    public enum Difference {}
}

/// One order of a shop (UUIDv7, made by order-ledger).
public typealias OrderID = Identifier<IdentifierKind.Order>
/// One Apple Pay token, however often it is sent (UUIDv8 of merchant and Apple's transaction identifier).
public typealias PaymentID = Identifier<IdentifierKind.Payment>
/// A transaction at an acquirer: the charge of a payment (sale or authorisation), or one that follows it.
public typealias OperationID = Identifier<IdentifierKind.Operation>
/// One merchant of `merchants.json` (any 32 hex digits; a UUIDv7 by custom).
public typealias MerchantID = Identifier<IdentifierKind.Merchant>
/// One event: the value of `ce_id` on Kafka.
public typealias EventID = Identifier<IdentifierKind.Event>
/// One command of a shop's server, such as a cancel.
public typealias CommandID = Identifier<IdentifierKind.Command>
/// One body sent to token-ingest that was rejected there.
public typealias AttemptID = Identifier<IdentifierKind.Attempt>
/// One report of a shop about the goods of an order.
public typealias FulfilmentID = Identifier<IdentifierKind.Fulfilment>
/// One difference between our books and the acquirer's settlement file.
public typealias DifferenceID = Identifier<IdentifierKind.Difference>

/// The kinds of transactions that a payment can have.
public enum OperationKind: String, Sendable, CaseIterable {
    /// Takes the money at once (UnionPay 01).
    case sale
    /// Holds an amount of the card (UnionPay 02).
    case authorisation
    /// Takes money of a hold (UnionPay 03).
    case capture
    /// Undoes a whole transaction on its own day (UnionPay 31, 32, 33).
    case void
    /// Gives money back (UnionPay 04).
    case refund
}
