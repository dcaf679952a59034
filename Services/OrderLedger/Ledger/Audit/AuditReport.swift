import OrchardJSON

/// What an audit or a replay found, as text for people and JSON for programs; both have the same content.
public struct AuditReport: Hashable, Sendable {
    /// `audit` or `replay`.
    public let command: String
    /// How far the books were checked: the watermark of each partition.
    public let positions: [JournalPosition]
    public let checks: [AuditCheck]

    /// - Parameter checks: in any order; the report has them by section and id.
    public init(command: String, positions: [JournalPosition], checks: [AuditCheck]) {
        self.command = command
        self.positions = positions
        func place(_ check: AuditCheck) -> (Int, String) {
            (Self.sections.firstIndex(of: check.section) ?? Self.sections.count, check.id)
        }
        self.checks = checks.sorted { place($0) < place($1) }
    }

    private static let sections = ["SOURCE", "COMPLETE", "TAMPER", "BALANCE", "REPLAY", "SECRETS", "OUTSIDE"]

    public var errors: Int { checks.count { $0.outcome == .failed } }
    public var warnings: Int { checks.count { $0.outcome == .warned } }

    /// 0 when nothing is wrong, 1 with findings.
    public var exitStatus: Int32 { errors == 0 ? 0 : 1 }

    /// The report for people.
    public var text: String {
        let range = positions.isEmpty ? "an empty ledger" : positions.map(\.description).joined(separator: " ")
        var lines = ["order-ledger \(command)  from genesis to \(range)"]
        var section = ""
        for check in checks {
            let head = check.section == section ? "" : check.section
            section = check.section
            lines.append(
                head.padded(to: 9) + check.id.padded(to: 4) + check.title.padded(to: 34) + check.counts.padded(to: 62)
                    + " " + check.outcome.rawValue)
            for finding in check.findings {
                // A text of the database must not forge lines of a report.
                let text = OutsideText.printable(finding.text, upTo: 2_000)
                lines.append("             → " + (finding.position.map { "\($0): " } ?? "") + text)
            }
            if check.findingCount > check.findings.count {
                lines.append("             → and \(check.findingCount - check.findings.count) more")
            }
        }
        lines.append("RESULT   \(errors) errors, \(warnings) warnings")
        return lines.joined(separator: "\n") + "\n"
    }

    /// The report for programs.
    public var json: [UInt8] {
        JSONWriter.object { object in
            object.array("checks") { array in
                for check in checks { array.object { write(check, to: &$0) } }
            }
            object.member("command", command)
            object.member("errors", errors)
            object.array("positions") { array in
                for position in positions {
                    array.object { object in
                        object.member("offset", position.offset)
                        object.member("partition", Int64(position.partition))
                    }
                }
            }
            object.member("warnings", warnings)
        }
    }

    private func write(_ check: AuditCheck, to object: inout JSONObjectWriter) {
        object.member("counts", check.counts)
        object.member("findingCount", check.findingCount)
        object.array("findings") { array in
            for finding in check.findings {
                array.object { object in
                    object.member("offset", finding.position?.offset)
                    object.member("partition", finding.position.map { Int64($0.partition) })
                    object.member("text", finding.text)
                }
            }
        }
        object.member("id", check.id)
        object.member("outcome", check.outcome.rawValue)
        object.member("section", check.section)
        object.member("title", check.title)
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(1, width - count))
    }
}
