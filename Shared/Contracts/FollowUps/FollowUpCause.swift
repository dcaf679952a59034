import OrchardCrypto

/// Why an operation follows a charge. The keys of its attempts at the acquirer are functions of it.
public enum FollowUpCause: Hashable, Sendable {
    /// A signed command of the shop.
    case command(CommandID)
    /// The payment, whose money moved too late and is owed back.
    case lateSuccess(PaymentID)

    /// The command; nil when none asked for it.
    public var command: CommandID? {
        if case .command(let command) = self { command } else { nil }
    }

    func append(to fields: inout LengthPrefixed) {
        switch self {
        case .command(let command):
            fields.append("command")
            fields.append(command)
        case .lateSuccess(let payment):
            fields.append("lateSuccess")
            fields.append(payment)
        }
    }
}
