/// The format of a log line.
public enum LogFormat: String, Sendable, CaseIterable {
    /// One JSON object for each line: `time` (RFC 3339), `level`, `logger`, `msg`, then the metadata.
    case json
    /// For a human at a terminal.
    case text

    /// The finished line with its line feed, redacted. No input can end the line early or add a second one.
    func line(_ record: LogRecord) -> [UInt8] {
        var line: [UInt8] = []
        line.reserveCapacity(256)
        switch self {
        case .json:
            line.append(UInt8(ascii: "{"))
            Self.member("time", Self.timestamp(record.time), to: &line)
            Self.member("level", record.level.rawValue, to: &line)
            Self.member("logger", record.label, to: &line)
            Self.member("msg", Redaction.mask(record.message), to: &line)
            for (key, value) in record.metadata.sorted(by: { $0.key < $1.key }) {
                // Metadata must not overwrite what every line has.
                let name = ["time", "level", "logger", "msg"].contains(key) ? key + "_" : key
                Self.member(name, Redaction.mask(value), to: &line)
            }
            line.append(UInt8(ascii: "}"))
        case .text:
            let level = record.level.rawValue.uppercased()
            let padding = String(repeating: " ", count: max(0, 8 - level.utf8.count))
            line += "\(Self.timestamp(record.time)) \(level)\(padding) \(record.label): ".utf8
            Self.escape(Redaction.mask(record.message), quotes: false, to: &line)
            for (key, value) in record.metadata.sorted(by: { $0.key < $1.key }) {
                line.append(UInt8(ascii: " "))
                Self.escape(key, quotes: false, to: &line)
                line.append(UInt8(ascii: "="))
                Self.escape(Redaction.mask(value), quotes: false, to: &line)
            }
        }
        line.append(UInt8(ascii: "\n"))
        return line
    }

    private static func member(_ key: String, _ value: String, to line: inout [UInt8]) {
        if line.count > 1 { line.append(UInt8(ascii: ",")) }
        line.append(UInt8(ascii: "\""))
        escape(key, quotes: true, to: &line)
        line += "\":\"".utf8
        escape(value, quotes: true, to: &line)
        line.append(UInt8(ascii: "\""))
    }

    private static func escape(_ text: String, quotes: Bool, to line: inout [UInt8]) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": line += "\\n".utf8
            case "\"", "\\":
                if quotes { line.append(UInt8(ascii: "\\")) }
                line.append(UInt8(ascii: scalar))
            case _ where misleads(scalar):
                let digits = String(scalar.value, radix: 16)
                line += "\\u\(String(repeating: "0", count: 4 - digits.utf8.count))\(digits)".utf8
            default: line += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
            }
        }
    }

    /// Whether a terminal or viewer would treat it as more than a letter: control characters of both sets, marks
    /// without width or that change the direction of writing, line and paragraph separators.
    private static func misleads(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x200B...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }

    /// RFC 3339 with milliseconds, UTC.
    static func timestamp(_ milliseconds: Int64) -> String {
        let (days, rest) = (milliseconds / 86_400_000, Int(milliseconds % 86_400_000))
        // Days to date by the proleptic Gregorian calendar, years counted from March (H. Hinnant, "chrono-compatible
        // low-level date algorithms").
        let shifted = Int(days) + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        let (hour, minute, second) = (rest / 3_600_000, rest / 60_000 % 60, rest / 1_000 % 60)
        return "\(pad(year, 4))-\(pad(month, 2))-\(pad(day, 2))T\(pad(hour, 2)):\(pad(minute, 2)):\(pad(second, 2))"
            + ".\(pad(rest % 1_000, 3))Z"
    }

    private static func pad(_ value: Int, _ width: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }
}
