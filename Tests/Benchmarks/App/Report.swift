import Foundation

/// The results of a run: printed as they come, and written to `docs/performance.md`.
struct Report {
    private struct Section {
        let name: String
        let limit: String
        let rows: [Row]
        /// Why there are no rows.
        var failure: String?
    }

    /// Whether rows are compared with their alarms instead of their bounds.
    let isCheck: Bool
    private var sections: [Section] = []
    private(set) var lines: [String] = []
    /// The machine and the servers.
    private var circumstances: [String] = []

    init(isCheck: Bool) { self.isCheck = isCheck }

    mutating func say(_ line: String) {
        lines.append(line)
        print(line)
        // A run that is stopped early keeps its printed results.
        fflush(nil)
    }

    mutating func describe(_ circumstance: String) {
        circumstances.append(circumstance)
        say(circumstance)
    }

    mutating func add(_ name: String, limit: String, _ rows: [Row]) {
        sections.append(Section(name: name, limit: limit, rows: rows))
        for row in rows {
            let alarm =
                isCheck && !row.isWithinAlarm
                ? "; a factor is LOST: \(row.alarm.map { "at least \($0)" } ?? "as above")" : ""
            say("\(row)\(alarm)")
        }
    }

    /// A benchmark that failed; the others continue.
    mutating func add(_ name: String, failure: any Error) {
        sections.append(Section(name: name, limit: "", rows: [], failure: "\(failure)"))
        say("\(name): FAILED: \(failure)")
    }

    /// Whether each row reaches its bound.
    var isReached: Bool {
        sections.allSatisfy { $0.failure == nil }
            && sections.flatMap(\.rows).allSatisfy { isCheck ? $0.isWithinAlarm : $0.isReached }
    }

    /// Writes `performance.md`, and the lines as they were printed beside it.
    func write(to folder: URL) throws {
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: folder.appending(path: "performance.txt"))
        try Data(markdown.utf8).write(to: folder.appending(path: "performance.md"))
    }

    private var markdown: String {
        let tables = sections.map { section in
            if let failure = section.failure { return "## \(section.name)\n\nNot measured: \(failure)" }
            return """
                ## \(section.name)

                | | reached | beside it in the same run | to reach | |
                |---|---|---|---|---|
                \(section.rows.map(Self.line).joined(separator: "\n"))

                \(section.limit)
                """
        }
        return """
            # Performance

            Written by `make bench ARGS="--record docs"`; what it printed is in [performance.txt](performance.txt). Every figure
            in a table was made in one run on one machine, with real servers that flush what they commit. Where something simpler does
            the same work, it was measured in the same run and stands beside it. A row fails outside its bound; its aim is
            what we would like. CPU time is the kernel's, of the processes that are named; Kafka's is shown in some rows and in no sum.
            `make bench` runs it again, `make bench ARGS="--only charges"` one part; compare figures of one machine only.
            [performance-intel.txt](performance-intel.txt) is what another, slower machine printed.

            \(circumstances.joined(separator: "; "))

            \(tables.joined(separator: "\n\n"))

            """
    }

    private static func line(_ row: Row) -> String {
        let yardstick = row.yardstick.map {
            "\(Row.text(row.value / $0.value)) of \($0.name) (\(Row.text($0.value)))"
        }
        let bound: String? =
            switch row.bound {
            case nil: nil
            case .atLeast(let least): "at least \(Row.text(least))"
            case .atLeastShare(let share): "at least \(Row.text(share)) of it"
            case .atMost(let most): "at most \(Row.text(most))"
            }
        let limits = [bound, row.aim.map { "aim \(Row.text($0.limit))" }].compactMap(\.self).joined(separator: "; ")
        let name = row.remark.isEmpty ? row.name : "\(row.name): \(row.remark)"
        return "| \(name) | \(Row.text(row.value)) \(row.unit) | \(yardstick ?? "") | \(limits) | \(row.result) |"
    }
}
