import Charging
import Contracts
import OrchardHTTPTypes

/// A connector: translates between charges and one acquirer's protocol, and decides nothing.
///
/// Connectors keep no state of payments. Times come from the caller, so that one clock, the database's, counts.
public protocol Acquirer: Sendable {
    /// Its name in `merchants.json` and in ``Contracts/AcquirerReference/acquirer``.
    var name: String { get }

    /// Whether it charges each merchant's share of a token that pays several (``CardData/withShares(_:)``). Such a token is
    /// sent to no other connector: the customer did not agree that one merchant gets all. False where it is not declared.
    var chargesShares: Bool { get }

    /// Sends the charge under its key, once.
    ///
    /// - Parameters:
    ///   - card: lent for the request's making; nothing of it outlives the call.
    ///   - time: now; certificates of the answer must be valid then.
    func send(_ charge: Charge, card: borrowing CardData, at time: Timestamp) async -> SendOutcome

    /// Queries the outcome of the charge's key.
    func query(_ charge: Charge, at time: Timestamp) async -> QueryOutcome

    /// Sends a capture, void or refund under its key, once.
    func send(_ followUp: FollowUp, at time: Timestamp) async -> SendOutcome

    /// Queries the outcome of the follow-up's key.
    func query(_ followUp: FollowUp, at time: Timestamp) async -> QueryOutcome

    /// Verifies a notification and returns what it claims about which key.
    ///
    /// - Parameters:
    ///   - request: as it came to one of the acquirer's endpoints, with its fields.
    ///   - time: now.
    func notification(_ request: HTTPRequest, at time: Timestamp) throws(NotificationError) -> AcquirerNotification
}

extension Acquirer {
    public var chargesShares: Bool { false }

    public func send(_ followUp: FollowUp, at time: Timestamp) async -> SendOutcome {
        .unsendable(reason: "the connector of \(name) cannot \(followUp.kind.rawValue)")
    }

    public func query(_ followUp: FollowUp, at time: Timestamp) async -> QueryOutcome {
        .misconfigured(reason: "the connector of \(name) cannot \(followUp.kind.rawValue)")
    }
}

/// What an acquirer can do, whoever its merchants are.
public struct AcquirerCapabilities: Hashable, Sendable {
    /// Whether the acquirer takes a number of ours for a transaction, under which a repetition is the same transaction. A
    /// charge without it is never sent twice (rule 3).
    public let hasIdempotencyKey: Bool
    /// Whether its answers to queries repeat ``Charge/reserved`` of the transaction that it holds under the key. Merchants
    /// with ``Merchant/allowMissingApplicationData`` need it.
    public let namesOrder: Bool
    public let operations: Set<OperationKind>
    public let currencies: Set<Currency>
    public let paymentData: Set<PaymentDataType>
    /// The networks whose cards it takes at most; a merchant's contract may say less.
    public let networks: Set<CardNetwork>

    /// - Parameter networks: by default all but private label: few acquirers take a store's own cards.
    public init(
        hasIdempotencyKey: Bool, namesOrder: Bool = false, operations: Set<OperationKind>, currencies: Set<Currency>,
        paymentData: Set<PaymentDataType>, networks: Set<CardNetwork> = Set(CardNetwork.schemes)
    ) {
        self.hasIdempotencyKey = hasIdempotencyKey
        self.namesOrder = namesOrder
        self.operations = operations
        self.currencies = currencies
        self.paymentData = paymentData
        self.networks = networks
    }

    /// Whether of two orders that one token was sent for, the acquirer charges one and says which.
    public var namesPaidOrder: Bool { hasIdempotencyKey && namesOrder }
}

/// Where an acquirer sends notifications: below `/v1/notifications/NAME` of the gateway.
public struct AcquirerEndpoint: Hashable, Sendable {
    public let method: HTTPMethod
    /// Empty, or a path that begins with a slash.
    public let path: String
    /// The media type that requests must have; nil where the acquirer sends none.
    public let contentType: String?

    public init(method: HTTPMethod = .post, path: String = "", contentType: String?) {
        self.method = method
        self.path = path
        self.contentType = contentType
    }
}

/// A verified notification: the key that it names and what it claims.
public struct AcquirerNotification: Hashable, Sendable {
    /// The key, as the answer's `result.reference` has it too.
    public let reference: AcquirerReference
    public let answer: AcquirerAnswer

    public init(reference: AcquirerReference, answer: AcquirerAnswer) {
        self.reference = reference
        self.answer = answer
    }
}
