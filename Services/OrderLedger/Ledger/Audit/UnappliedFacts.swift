/// What is not in the books although the journal tells of it, by what that makes of an audit.
public struct UnappliedFacts: Hashable, Sendable {
    /// Errors: money, and what nobody can read.
    public private(set) var errors = FindingList()
    /// What moves no money.
    public private(set) var warnings = FindingList()

    public init() {}

    /// Takes a row as its own code makes it: never the words that a database holds.
    public mutating func add(_ row: JournalRow) {
        for fault in row.faults {
            switch fault.severity {
            case .failed: errors.append(fault.finding)
            default: warnings.append(fault.finding)
            }
        }
    }

    /// Adds one at the end.
    public mutating func append(_ other: UnappliedFacts) {
        errors.append(other.errors)
        warnings.append(other.warnings)
    }
}
