import Foundation

/// A time of the system's steady clock.
///
/// `ContinuousClock.Instant` says the same, but its layout is known only when the program runs: each copy, comparison and
/// destruction of a value that holds one would go through tables. Every request makes dozens of them.
struct MonotonicTime: Hashable, Comparable, Sendable {
    private let sinceStart: Duration

    static var now: MonotonicTime {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicTime(sinceStart: .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec))
    }

    func duration(to other: MonotonicTime) -> Duration { other.sinceStart - sinceStart }

    static func + (time: MonotonicTime, duration: Duration) -> MonotonicTime {
        MonotonicTime(sinceStart: time.sinceStart + duration)
    }

    static func < (left: MonotonicTime, right: MonotonicTime) -> Bool { left.sinceStart < right.sinceStart }
}
