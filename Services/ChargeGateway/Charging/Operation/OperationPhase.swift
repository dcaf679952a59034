/// Where an operation stands.
public enum OperationPhase: String, Hashable, Sendable, CaseIterable {
    /// It exists; surely nothing has been sent.
    case created
    /// An intent is committed: bytes may have left.
    case submitting
    /// The acquirer took it.
    case pending
    /// Nobody knows; a query decides.
    case unknown
    /// The acquirer tells of something else under our key; a person must look, and money may have moved.
    case conflicted
    /// Money moved.
    case succeeded
    /// No money moved.
    case declined
    /// Turned away; never was a charge.
    case refused
    /// Money moved after the operation or its order had ended; it is owed back.
    case lateSuccess

    /// Whether a second charge of the order must wait for this one.
    public var isLive: Bool {
        switch self {
        case .created, .submitting, .pending, .unknown, .conflicted: true
        case .succeeded, .declined, .refused, .lateSuccess: false
        }
    }

    /// Whether a query can still decide it.
    var isOpen: Bool { isLive && self != .conflicted }
}
