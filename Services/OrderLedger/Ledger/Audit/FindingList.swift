/// What a check found: the number of findings and the first of them. It stays small, however many there are.
public struct FindingList: Hashable, Sendable, ExpressibleByArrayLiteral {
    /// The first ``AuditCheck/listed`` findings.
    public private(set) var first: [AuditCheck.Finding] = []
    public private(set) var count = 0

    public init() {}

    public init(_ findings: [AuditCheck.Finding]) {
        for finding in findings { append(finding) }
    }

    public init(arrayLiteral findings: AuditCheck.Finding...) {
        self.init(findings)
    }

    public var isEmpty: Bool { count == 0 }

    /// Appends a finding.
    public mutating func append(_ finding: AuditCheck.Finding) {
        count += 1
        if first.count < AuditCheck.listed { first.append(finding) }
    }

    /// Appends the findings of another list.
    public mutating func append(_ other: FindingList) {
        count += other.count
        first += other.first.prefix(AuditCheck.listed - first.count)
    }

    public static func + (left: Self, right: Self) -> Self {
        var sum = left
        sum.append(right)
        return sum
    }

    /// Several lists in one, in their order.
    public static func joined(_ lists: some Sequence<FindingList>) -> FindingList {
        lists.reduce(into: []) { $0.append($1) }
    }
}
