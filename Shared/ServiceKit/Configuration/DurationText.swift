/// Durations as people write them: `500ms`, `3s`, `15m`, `24h`, `7d`.
enum DurationText {
    private static let units: [(String, milliseconds: Int64)] = [
        ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1),
    ]

    static func parse(_ text: String) -> Duration? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int64(digits), let unit = units.first(where: { $0.0 == text.dropFirst(digits.count) }) else {
            return nil
        }
        let (milliseconds, overflow) = number.multipliedReportingOverflow(by: unit.milliseconds)
        return overflow ? nil : .milliseconds(milliseconds)
    }

    static func show(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let milliseconds = seconds * 1_000 + attoseconds / 1_000_000_000_000_000
        guard milliseconds != 0, let unit = units.first(where: { milliseconds.isMultiple(of: $0.milliseconds) }) else {
            return "\(milliseconds)ms"
        }
        return "\(milliseconds / unit.milliseconds)\(unit.0)"
    }
}
