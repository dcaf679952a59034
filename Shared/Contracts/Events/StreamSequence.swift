/// Follows the numbers that an outbox gave its records in one partition of a topic, and distinguishes lost records from
/// repeated ones. Pure; one for each stream and partition.
///
/// Offsets have legal gaps (transaction markers, compaction), so only these numbers prove that no record is missing.
public struct StreamSequence: Hashable, Sendable {
    /// What a record's number means.
    public enum Verdict: Hashable, Sendable {
        /// The expected number.
        case next
        /// A number that was seen before.
        case duplicate
        /// The numbers in the range were skipped.
        case gap(ClosedRange<Int64>)
        /// A number that was skipped before and arrives late.
        case late
    }

    /// The highest number seen; 0 before the first.
    public private(set) var last: Int64
    /// Numbers that were skipped and have not arrived, in ascending order.
    public private(set) var missing: [ClosedRange<Int64>] = []

    /// - Parameter last: the highest number known already.
    public init(after last: Int64 = 0) {
        precondition(last >= 0, "numbers begin at 1")
        self.last = last
    }

    /// Records the number of the next record.
    public mutating func receive(_ number: Int64) -> Verdict {
        if number > last {
            guard number - last > 1 else {
                last = number
                return .next
            }
            let skipped = last + 1...number - 1
            missing.append(skipped)
            last = number
            return .gap(skipped)
        }
        guard let position = missing.firstIndex(where: { $0.contains(number) }) else { return .duplicate }
        let range = missing[position]
        var rest: [ClosedRange<Int64>] = []
        if range.lowerBound < number { rest.append(range.lowerBound...number - 1) }
        if number < range.upperBound { rest.append(number + 1...range.upperBound) }
        missing.replaceSubrange(position...position, with: rest)
        return .late
    }
}
