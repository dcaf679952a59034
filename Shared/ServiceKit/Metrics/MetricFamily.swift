/// All instruments with one name, and their lines in Prometheus' text format 0.0.4.
struct MetricFamily {
    enum Kind: String {
        case counter, gauge, histogram
    }

    enum Instrument {
        case counter(Counter)
        case gauge(Gauge)
        case reading(@Sendable () -> Double)
        case histogram(Histogram)
    }

    let name: String
    let kind: Kind
    let help: String
    /// By rendered labels: `a="x",b="y"`, sorted.
    private(set) var instruments: [String: Instrument] = [:]

    init(name: String, kind: Kind, help: String) {
        self.name = name
        self.kind = kind
        self.help = help
    }

    subscript(labels: String) -> Instrument? {
        get { instruments[labels] }
        set { instruments[labels] = newValue }
    }

    func write(to text: inout String) {
        text += "# HELP \(name) \(Self.escape(help, quotes: false))\n# TYPE \(name) \(kind.rawValue)\n"
        for (labels, instrument) in instruments.sorted(by: { $0.key < $1.key }) {
            switch instrument {
            case .counter(let counter): line(&text, "", labels, String(counter.value))
            case .gauge(let gauge): line(&text, "", labels, Self.number(gauge.value))
            case .reading(let read): line(&text, "", labels, Self.number(read()))
            case .histogram(let histogram):
                let separator = labels.isEmpty ? "" : ","
                let counts = histogram.cumulativeCounts
                for (bound, count) in zip(histogram.bounds + [.infinity], counts) {
                    line(&text, "_bucket", "\(labels)\(separator)le=\"\(Self.number(bound))\"", String(count))
                }
                line(&text, "_sum", labels, Self.number(histogram.sum))
                line(&text, "_count", labels, String(counts.last ?? 0))
            }
        }
    }

    private func line(_ text: inout String, _ suffix: String, _ labels: String, _ value: String) {
        text += labels.isEmpty ? "\(name)\(suffix) \(value)\n" : "\(name)\(suffix){\(labels)} \(value)\n"
    }

    /// The labels as they stand between the braces, sorted by name.
    static func render(_ labels: [(String, String)]) -> String {
        var text = ""
        for (name, value) in labels.count < 2 ? labels : labels.sorted(by: { $0.0 < $1.0 }) {
            if !text.isEmpty { text += "," }
            text += name
            text += "=\""
            text += escape(value, quotes: true)
            text += "\""
        }
        return text
    }

    private static func number(_ value: Double) -> String {
        switch value {
        case .infinity: "+Inf"
        case -.infinity: "-Inf"
        case _ where value.isNaN: "NaN"
        default: value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : String(value)
        }
    }

    private static func escape(_ text: String, quotes: Bool) -> String {
        let special: (UInt8) -> Bool = { byte in
            byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\"")
        }
        guard text.utf8.contains(where: special) else { return text }
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quotes: escaped += "\\\""
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}
