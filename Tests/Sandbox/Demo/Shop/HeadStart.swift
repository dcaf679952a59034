import ServiceKit

/// How much sooner a cancel starts than the charge that it races. Each race moves the next one towards the toss-up: three
/// times the head start after the charge won, half of it after the cancel did. So a day's races end in both ways,
/// whatever the machine's speed.
final class HeadStart: Sendable {
    private let current = Locked(Duration.zero)
    private static let step = Duration.milliseconds(50)
    private static let longest = Duration.seconds(3)

    /// For the next race.
    var time: Duration { current.withLock { $0 } }

    func raced(chargeWon: Bool) {
        current.withLock { $0 = chargeWon ? min(max($0 * 3, Self.step), Self.longest) : $0 / 2 }
    }
}
