import OrchardCrypto

/// The acquirer's key of an attempt of an operation that follows a charge (rule 3): a function of its cause and its
/// number, so that a resend, a second worker or a restored database can only repeat the same transaction.
///
/// Attempt n belongs to the `n`th slot of ten minutes after the cause. It is sent in its own slot only, so that its time
/// is always within the acquirer's tolerance.
public struct FollowUpKey: Hashable, Sendable {
    /// From 0.
    public let attempt: Int
    /// The order number at the acquirer: 32 hex digits.
    public let orderNumber: String
    /// The transaction time, and the beginning of the slot: whole seconds.
    public let time: Timestamp

    /// How long a slot is.
    public static let slot: Duration = .seconds(600)

    /// - Parameters:
    ///   - operation: the kind that it is an attempt of; a refund after a failed void has its own keys.
    ///   - causedAt: the cause's time: the command's, or that of the payment's late success.
    public init(_ kind: FollowUpKind, cause: FollowUpCause, causedAt: Timestamp, attempt: Int) {
        precondition(attempt >= 0, "attempts are numbered from 0")
        var fields = LengthPrefixed()
        fields.append("follow-up key")
        fields.append(kind.rawValue)
        cause.append(to: &fields)
        fields.append(Int64(attempt))
        self.attempt = attempt
        orderNumber = Hex.encode(Array(SHA256.hash(fields.bytes).prefix(16)))
        time = Timestamp(seconds: causedAt.seconds) + Self.slot * attempt
    }

    /// When nothing may be sent under it any more.
    public var slotEnd: Timestamp { time + Self.slot }

    /// The attempt whose slot `time` lies in; 0 before the cause.
    public static func attempt(at time: Timestamp, causedAt: Timestamp) -> Int {
        let passed = time.seconds - causedAt.seconds
        return passed <= 0 ? 0 : Int(passed / slot.components.seconds)
    }
}
