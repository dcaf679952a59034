/// One setting that a program reads, as `--help` and `.env.example` describe it.
public struct ConfigKey: Sendable, Hashable {
    /// The kind of a key that stands for all keys below it.
    static let sectionKind = "settings by name"

    /// Dotted, lower case: `http.port`.
    public let name: String
    /// What values look like: `integer 1…65535`.
    public let kind: String
    /// What it means, in one sentence.
    public let doc: String
    /// The value when no source sets it; nil when there is none.
    public let defaultValue: String?
    /// Whether the program refuses to start without it.
    public let isRequired: Bool
    /// Never printed and never given on the command line. It may come from a file (`…_FILE`).
    public let isSecret: Bool

    /// The environment variable: `HTTP_PORT`.
    public var environmentName: String {
        String(name.map { $0 == "." || $0 == "-" ? "_" : Character($0.uppercased()) })
    }

    /// The option on the command line without its dashes: `http-port`. For a secret, its value is the path of a file.
    public var optionName: String {
        let option = String(name.map { $0 == "." ? "-" : $0 })
        return isSecret ? option + "-file" : option
    }

    /// A commented line of `.env.example`.
    public var environmentExample: String {
        let state = isRequired ? "required" : defaultValue.map { "default \($0)" } ?? "optional"
        let secret = isSecret ? " Or \(environmentName)_FILE: a file that holds it." : ""
        return
            "# \(doc) (\(kind); \(state))\(secret)\n\(isRequired ? "" : "#")\(environmentName)=\(defaultValue ?? "")\n"
    }
}

/// A text that must stay secret: printing or dumping it shows only whether it is set.
public struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The text itself.
    public let value: String

    public init(_ value: String) {
        self.value = value
    }

    public var description: String { value.isEmpty ? "not set" : "[secret]" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

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
