import Contracts

/// The outcome of a shop's command, as far as the fold knows.
public enum CommandOutcome: Hashable, Sendable {
    /// The command is on its way to the gateway, or the answer is on its way back.
    case requested
    /// The gateway does it.
    case inProgress
    /// The acquirer has not said whether it was done. A query, its settlement file or a person decides.
    case unknown(reason: String?)
    case done
    case rejected(reason: String)
    /// It is certain that it was not done.
    case failed(reason: String?)

    public var word: String {
        switch self {
        case .requested: "requested"
        case .inProgress: "inProgress"
        case .unknown: "unknown"
        case .done: "done"
        case .rejected: "rejected"
        case .failed: "failed"
        }
    }

    /// Why it has this outcome, when that is known.
    public var reason: String? {
        switch self {
        case .unknown(let reason), .failed(let reason): reason
        case .rejected(let reason): reason
        case .requested, .inProgress, .done: nil
        }
    }

    /// Whether waiting longer can change it.
    public var isFinal: Bool {
        switch self {
        case .done, .rejected, .failed: true
        case .requested, .inProgress, .unknown: false
        }
    }
}

extension OrderState {
    /// The outcome of a command.
    public func outcome(of command: CommandID) -> CommandOutcome {
        if let refused = refusedCommands.first(where: { $0.command == command }) {
            return .rejected(reason: refused.reason.rawValue)
        }
        if closing?.command == command { return .done }
        guard let last = operations(of: command).last else { return .requested }
        switch last.status {
        case .accepted: return .inProgress
        case .unknown, .conflicted: return .unknown(reason: last.reason)
        case .succeeded: return .done
        case .failed: return last.isFollowedByRefund ? .inProgress : .failed(reason: last.reason)
        }
    }

    /// The operations that a command caused, in the order in which they began: a void, and the refund after one that
    /// failed.
    public func operations(of command: CommandID) -> [FollowUpState] {
        let own = followUps.filter { $0.cause == .command(command) }
        return own.filter { $0.kind != .refund } + own.filter { $0.kind == .refund }
    }
}

extension FollowUpState {
    /// Whether a refund begins by itself when it has failed: money that was taken shall still go back.
    var isFollowedByRefund: Bool { kind == .void && target != .authorisation }
}
