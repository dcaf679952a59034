/// What a check found: how much of it, and the first of them. However many there are, it stays small.
public struct FindingList: Hashable, Sendable, ExpressibleByArrayLiteral {
    /// The first ``AuditCheck/listed``.
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

    /// Adds one at the end.
    public mutating func append(_ finding: AuditCheck.Finding) {
        count += 1
        if first.count < AuditCheck.listed { first.append(finding) }
    }

    /// Takes over what another list holds, behind one's own.
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
