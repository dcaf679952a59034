/// Records of the journal that are not in the books, by their severity in an audit.
public struct UnappliedFacts: Hashable, Sendable {
    /// Errors: facts about money, and records that cannot be read.
    public private(set) var errors = FindingList()
    /// Warnings: records that move no money.
    public private(set) var warnings = FindingList()

    public init() {}

    /// Adds the faults of a row as its own code makes it, never the texts stored in a database.
    public mutating func add(_ row: JournalRow) {
        for fault in row.faults {
            switch fault.severity {
            case .failed: errors.append(fault.finding)
            default: warnings.append(fault.finding)
            }
        }
    }

    /// Appends the findings of others.
    public mutating func append(_ other: UnappliedFacts) {
        errors.append(other.errors)
        warnings.append(other.warnings)
    }
}
