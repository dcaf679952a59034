import Contracts

extension AuditCheck {
    /// The checks of audit and replay on what the books lack.
    ///
    /// - Parameters:
    ///   - waiting: of each partition.
    ///   - now: what the facts' own times are compared with.
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
