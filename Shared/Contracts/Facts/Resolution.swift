import OrchardJSON

/// An operator's decision about a charge that no query decides.
public struct Resolution: Hashable, Sendable {
    /// How it ended.
    public enum Outcome: String, Sendable, CaseIterable {
        /// Money moved.
        case paid
        /// No money moved and none will.
        case notCharged
    }

    public let outcome: Outcome
    /// How the operator knows it: at most ``maximumReason`` bytes.
    public let reason: String
    /// Who the operator is: at most ``maximumName`` bytes.
    public let by: String

    public static let maximumReason = 200
    public static let maximumName = 64

    /// - Returns: nil when a text is empty, too long or has control characters.
    public init?(_ outcome: Outcome, reason: String, by: String) {
        guard Self.isText(reason, upTo: Self.maximumReason), Self.isText(by, upTo: Self.maximumName) else { return nil }
        self.outcome = outcome
        self.reason = reason
        self.by = by
    }

    private static func isText(_ text: String, upTo limit: Int) -> Bool {
        (1...limit).contains(text.utf8.count) && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
}
