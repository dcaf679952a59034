/// A point in time: whole microseconds since 1970-01-01T00:00:00Z.
///
/// Integers only, so that the same events give the same bytes everywhere; microseconds, because that is what
/// PostgreSQL keeps.
public struct Timestamp: Hashable, Comparable, Sendable {
    public let microseconds: Int64

    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// Whole seconds since 1970.
    public init(seconds: Int64) {
        self.init(microseconds: seconds * 1_000_000)
    }

    /// Whole seconds since 1970, rounded down.
    public var seconds: Int64 {
        microseconds >= 0 ? microseconds / 1_000_000 : (microseconds - 999_999) / 1_000_000
    }

    public static func < (left: Self, right: Self) -> Bool { left.microseconds < right.microseconds }

    public static func + (time: Self, duration: Duration) -> Self {
        Self(microseconds: time.microseconds + duration.wholeMicroseconds)
    }

    public static func - (time: Self, duration: Duration) -> Self {
        Self(microseconds: time.microseconds - duration.wholeMicroseconds)
    }

    /// The time from `earlier` to `later`.
    public static func - (later: Self, earlier: Self) -> Duration {
        .microseconds(later.microseconds - earlier.microseconds)
    }
}

extension Duration {
    /// The duration in microseconds, rounded towards zero.
    public var wholeMicroseconds: Int64 {
        components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
    }
}
