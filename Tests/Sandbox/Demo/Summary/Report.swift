/// The final report of the demo.
struct Report: Sendable {
    let sections: [(title: String, lines: [String])]
    let findings: [Finding]

    /// The exit status of `--once`: 0 only when every number is right.
    var status: Int32 { findings.isEmpty ? 0 : 1 }

    var text: String {
        var lines: [String] = [""]
        for section in sections {
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
