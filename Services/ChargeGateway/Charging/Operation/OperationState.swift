import Contracts

/// Everything that changes in an operation: what its row keeps.
public struct OperationState: Hashable, Sendable {
    public var phase: OperationPhase
    /// Facts told so far: the number of the last one.
    public var transition: Int64 = 0
    /// Intents committed.
    public var sends = 0
    /// Sends of which it is proved that no byte left.
    public var unsent = 0
    /// Whether the last send's outcome has not come yet.
    public var isSending = false
    /// When the last intent was committed.
    public var sentAt: Timestamp?
    /// Since when its outcome is open: since the first send that may have left, or since the acquirer showed a
    /// transaction that was never sent from here.
    public var openSince: Timestamp?
    /// Whether the journal was told that the outcome is unknown.
    public var isUnknownPublished = false
    /// Whether sends may have been forgotten: the database lost its last transactions, and perhaps an intent with them.
    public var isRecovered = false
    /// Queries begun.
    public var queries = 0
    /// When the last query began.
    public var queriedAt: Timestamp?
    /// Whether the acquirer has shown that it holds a transaction of our key.
    public var isKnownThere = false
    /// Whether the sealed card data may still be needed; the row drops them when it is false.
    public var holdsCard = false
    /// What a notification claimed, until a query confirms it: true for paid.
    public var claimsPaid: Bool?
    /// What it does next by itself.
    public var next: NextStep?

    public init(phase: OperationPhase) {
        self.phase = phase
    }

    /// Sends that may have reached the acquirer.
    public var possibleSends: Int { sends - unsent + (isRecovered ? 1 : 0) }
}
