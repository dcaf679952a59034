import Contracts

extension JournalFault {
    /// The outcome that the fault gives an audit.
    ///
    /// Errors are: money that is missing from the books, a record of ours that cannot be read, and a record that
    /// contradicts another or does not belong in the partition. Warnings move no money: a foreign record, an order that
    /// was closed twice.
    public var severity: AuditCheck.Outcome {
        switch subject {
        case .money, .unknown: .failed
        case .order: Self.forgeries.contains(code) ? .failed : .warned
        case .stranger: .warned
        }
    }

    /// Codes of facts that a correct producer never publishes: errors, whatever they are about. The table has texts,
    /// because the code of a row may be one that the fold no longer gives.
    private static let forgeries: Set<String> = [
        "conflictingDuplicate", "wrongPartition", "merchantDiffers", "foreignSource", "unnumbered",
    ]
}

extension Fact {
    /// Whether money is missing in the books while the fact waits.
    public var isAboutMoney: Bool { FaultSubject(self) == .money }
}
