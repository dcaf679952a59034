import Contracts

extension JournalFault {
    /// What the fault makes of an audit.
    ///
    /// Money that is missing from the books is an error, and so is what nobody can read, and a record that contradicts
    /// another or has no business in the partition. A warning is what moves no money: a stranger's record, an order that
    /// was closed twice.
    public var severity: AuditCheck.Outcome {
        switch subject {
        case .money, .unknown: .failed
        case .order: Self.forgeries.contains(code) ? .failed : .warned
        case .stranger: .warned
        }
    }

    /// Codes of facts that cannot come from their producer at work: errors, whatever they are about. A table of words,
    /// since the code of a row may be one that the fold no longer gives.
    private static let forgeries: Set<String> = [
        "conflictingDuplicate", "wrongPartition", "merchantDiffers", "foreignSource", "unnumbered",
    ]
}

extension Fact {
    /// Whether books lack money while the fact waits.
    public var isAboutMoney: Bool { FaultSubject(self) == .money }
}
