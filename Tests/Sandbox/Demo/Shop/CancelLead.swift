import OrchardServiceKit

/// How much earlier a cancel starts than the charge it races against; a negative value means later. Each race moves the
/// next one a step towards the other result, so that a day's races end in both ways on machines of any speed.
final class CancelLead: Sendable {
    private static let steps = [-1_350, -450, -150, -50, 0, 50, 150, 450, 1_350, 3_000].map {
        Duration.milliseconds($0)
    }
    private let step = Locked(steps.firstIndex(of: .zero) ?? 0)

    /// The lead of the next race.
    var time: Duration { Self.steps[step.withLock { $0 }] }

    func raced(chargeWon: Bool) {
        step.withLock { $0 = min(max($0 + (chargeWon ? 1 : -1), 0), Self.steps.count - 1) }
    }
}
