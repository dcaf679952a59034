/// Whether a member stays in its group while work stands still: pure.
struct MemberAbsence {
    typealias Instant = ContinuousClock.Instant

    enum Step: Equatable { case stay, ask, leave, join }

    /// When the observer is asked again: soon while the member is outside the group, later when it could work.
    private static let intervals = (away: Duration.seconds(1), here: Duration.seconds(10))

    private var isAsking = false
    private var nextQuestion: Instant?
    /// Why the group was left, nil while the member is in it.
    private(set) var reason: String?

    /// Time has passed.
    ///
    /// - Parameters:
    ///   - isStuck: whether work has stood still for long.
    ///   - isIdle: whether all partitions are given back.
    mutating func tick(isStuck: Bool, isIdle: Bool, at now: Instant) -> Step {
        guard !isAsking, now >= nextQuestion ?? now, reason == nil ? isStuck : isIdle else { return .stay }
        isAsking = true
        return .ask
    }

    /// The observer has answered.
    mutating func answered(obstacle: String?, at now: Instant) -> Step {
        isAsking = false
        nextQuestion = now + (obstacle == nil ? Self.intervals.here : Self.intervals.away)
        defer { reason = obstacle }
        switch (reason, obstacle) {
        case (nil, nil), (.some, .some): return .stay
        case (nil, .some): return .leave
        case (.some, nil): return .join
        }
    }
}
