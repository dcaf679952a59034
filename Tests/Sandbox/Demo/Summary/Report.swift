/// The outcome of the demo.
struct Report: Sendable {
    typealias Section = (title: String, lines: [String])

    /// What is read when something is wrong, or out of curiosity.
    var details: [Section] = []
    /// What is read first, in one screen at the end.
    var summary: [Section] = []
    let findings: [Finding]

    /// The exit status of `--once`: 0 only when every number is right.
    var status: Int32 { findings.isEmpty ? 0 : 1 }

    var text: String {
        var lines: [String] = [""]
        for section in details + summary where !section.lines.isEmpty {
            lines.append(section.title)
            lines += section.lines
            lines.append("")
        }
        if findings.isEmpty {
            lines.append("RESULT  every number is as it must be")
        } else {
            lines.append("RESULT  \(findings.count) things are not as they must be:")
            lines += findings.prefix(50).map { "  - \($0)" }
        }
        return lines.joined(separator: "\n")
    }
}
