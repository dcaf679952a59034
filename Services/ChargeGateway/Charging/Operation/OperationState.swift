import Contracts

/// The changing state of an operation, as its row keeps it.
public struct OperationState: Hashable, Sendable {
    public var phase: OperationPhase
    /// The number of the last fact.
    public var transition: Int64 = 0
    /// Intents committed.
    public var sends = 0
    /// Sends of which it is proved that no byte left, and those of attempts that are proved absent.
    public var unsent = 0
    /// Whether the last send's outcome has not come yet.
    public var isSending = false
    /// When the last intent was committed.
    public var sentAt: Timestamp?
    /// When the acquirer first said that it took it; nil when an outcome came first. Nothing is decided by it: it is told.
    public var acceptedAt: Timestamp?
    /// Since when its outcome is open: since the first send that may have left, or since the acquirer showed a
    /// transaction that was never sent from here.
    public var openSince: Timestamp?
    /// Whether `payment.unknown` was published.
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
    /// The acquirer's number of what it did (UnionPay `queryId`); an operation that follows names it.
    public var serial: String?
    /// Since when complete settlement files are known to lack it: the next query that finds nothing proves it absent.
    public var absentSince: Timestamp?
    /// The last attempt of a follow-up that is asked for, in turn with those before it: a lost database may have sent it, or
    /// its slot has passed and nothing was sent by our own record.
    public var lastSuspect: Int?
    /// Whether a follow-up is only asked for: it may have been sent, and must not be sent any more.
    public var isQueryOnly = false
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

/// Where an operation stands.
public enum OperationPhase: String, Hashable, Sendable, CaseIterable {
    /// It exists; by our own record nothing was sent.
    ///
    /// Can become: submitting (an intent); pending, succeeded, conflicted or lateSuccess (the acquirer shows it); unknown (the
    /// acquirer or a notification shows it and no query tells, or a recovery suspects it); declined (expired, unreadable, no
    /// route, or the acquirer says so).
    case created
    /// An intent is committed: bytes may have left.
    ///
    /// Can become: created (surely not sent), pending, unknown, succeeded, declined, conflicted, lateSuccess.
    case submitting
    /// The acquirer took it.
    ///
    /// Can become: succeeded, declined, conflicted, lateSuccess.
    case pending
    /// The outcome is not known; a query decides.
    ///
    /// Can become: submitting (a repeated send), pending, succeeded, declined, conflicted, lateSuccess; of a follow-up
    /// created, when its attempt is proved absent and the next one begins.
    case unknown
    /// The acquirer shows something else under our key. A person must look, and money may have moved.
    ///
    /// Can become: succeeded, declined, lateSuccess, each by a person's word only.
    case conflicted
    /// Money moved, or is held. It is an end, but for a hold.
    ///
    /// Can become: expired (a hold whose time is over).
    case succeeded
    /// No money moved. Of a follow-up: it was not done.
    ///
    /// Can become: lateSuccess; of a follow-up succeeded.
    case declined
    /// The order could not take it. Nothing was sent.
    ///
    /// Can become: lateSuccess, when a lost database had sent it.
    case refused
    /// Money moved after the operation or its order had ended, or although the acquirer calls it failed; it is owed back.
    /// It is an end.
    case lateSuccess
    /// The hold ended by its time. It is an end.
    case expired

    /// Whether a second charge of the order must wait for this one.
    public var isLive: Bool {
        switch self {
        case .created, .submitting, .pending, .unknown, .conflicted: true
        case .succeeded, .declined, .refused, .lateSuccess, .expired: false
        }
    }

    /// Whether a query can still decide it.
    var isOpen: Bool { isLive && self != .conflicted }
}

/// What an operation does next by itself.
public struct NextStep: Hashable, Sendable {
    /// What it is about.
    public enum Kind: String, Sendable, CaseIterable {
        case send, query
    }

    public let kind: Kind
    public let time: Timestamp

    public init(_ kind: Kind, at time: Timestamp) {
        self.kind = kind
        self.time = time
    }
}

/// An input of an operation.
public enum OperationInput: Hashable, Sendable {
    /// It is due, with the state of its card data.
    case due(CardAvailability)
    /// The time of its send has come, but its account takes none before `until`: nothing is committed to be sent.
    case held(until: Timestamp)
    /// The outcome of the `attempt`th send.
    case sent(attempt: Int, SendOutcome)
    /// The outcome of a query.
    case queried(QueryOutcome)
    /// A verified notification of the acquirer.
    case notified(AcquirerAnswer)
    /// An operator's decision.
    case resolved(Resolution)
    /// A row of the acquirer's settlement files: it was done.
    case settled(AcquirerAnswer)
    /// The complete, checked settlement files of the days on which it can stand and of the day after lack all of
    /// ``OperationMachine/possibleKeys``, of which this is the last.
    case absentInFiles(AcquirerReference)
}

/// Whether the sealed card data of an operation can be opened now.
public enum CardAvailability: Hashable, Sendable {
    /// Opened, or not looked at because nothing is to be sent.
    case ready
    /// Sealed to a key that is not here: our fault, and it may come yet.
    case keyUnknown
    /// No key will ever open it: failed authentication or malformed.
    case unreadable
}
