/// The severity of a log line.
public enum LogLevel: String, Sendable, CaseIterable, Comparable {
    case debug, info, notice, warning, error, critical

    private var rank: Int {
        switch self {
        case .debug: 0
        case .info: 1
        case .notice: 2
        case .warning: 3
        case .error: 4
        case .critical: 5
        }
    }

    public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }
}
