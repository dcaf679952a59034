import Contracts

/// One line of an audit: what was checked, how much of it, and what was found.
public struct AuditCheck: Hashable, Sendable {
    /// How it ended.
    public enum Outcome: String, Sendable {
        case passed = "ok"
        /// An operator should check it; the books are right.
        case warned = "WARN"
        case failed = "FAILED"
    }

    /// A problem and its place.
    public struct Finding: Hashable, Sendable {
        /// The row concerned, if there is one.
        public let position: JournalPosition?
        public let text: String

        public init(_ text: String, at position: JournalPosition? = nil) {
            self.position = position
            self.text = text
        }
    }

    /// For example `T1`.
    public let id: String
    /// The part of the report, for example `TAMPER`.
    public let section: String
    public let title: String
    /// What was counted; a check without a count proves nothing.
    public let counts: String
    public let outcome: Outcome
    /// The first ``listed`` findings.
    public let findings: [Finding]
    /// The number of all findings.
    public let findingCount: Int

    /// A report lists at most this many findings of a check.
    public static let listed = 20

    /// - Parameter severity: the outcome of the check when there is a finding.
    public init(
        _ id: String, _ section: String, _ title: String, counts: String, findings: FindingList = [],
        severity: Outcome = .failed
    ) {
        self.id = id
        self.section = section
        self.title = title
        self.counts = counts
        self.outcome = findings.isEmpty ? .passed : severity
        self.findings = findings.first
        findingCount = findings.count
    }

    public init(
        _ id: String, _ section: String, _ title: String, counts: String, findings: [Finding],
        severity: Outcome = .failed
    ) {
        self.init(
            id, section, title, counts: counts, findings: FindingList(findings), severity: severity)
    }
}

extension AuditCheck {
    /// The checks of audit and replay for facts that are missing in the books.
    ///
    /// - Parameters:
    ///   - waiting: the waiting facts of each partition.
    ///   - now: the time with which the facts' own times are compared.
    public static func unapplied(
        _ unapplied: UnappliedFacts, waiting: [WaitingFacts], at now: Timestamp
    ) -> [AuditCheck] {
        let overdue = FindingList.joined(waiting.map { $0.overdue(at: now) })
        return [
            AuditCheck(
                "S2", "SOURCE", "money that is not in the books",
                counts: "\(unapplied.errors.count) facts unreadable or refused", findings: unapplied.errors),
            AuditCheck(
                "S3", "SOURCE", "other records not taken", counts: "\(unapplied.warnings.count) records",
                findings: unapplied.warnings, severity: .warned),
            AuditCheck(
                "C4", "COMPLETE", "facts that wait for others", counts: "\(waiting.reduce(0) { $0 + $1.count }) now",
                findings: .joined(waiting.map { $0.findings(at: now) }), severity: .warned),
            AuditCheck(
                "C6", "COMPLETE", "money that waits too long",
                counts: "\(overdue.count) for over \(WaitingFacts.longestWait.components.seconds / 60) minutes",
                findings: overdue),
        ]
    }
}
