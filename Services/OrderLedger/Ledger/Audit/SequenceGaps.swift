import Contracts

/// Finds numbers that are missing from the streams of a partition: a lost record, told from a legal hole of offsets.
public struct SequenceGaps: Hashable, Sendable {
    /// Numbers of a stream that no record carries.
    public struct Gap: Hashable, Sendable {
        public let stream: String
        public let missing: ClosedRange<Int64>
        /// The record behind the gap.
        public let before: JournalPosition
    }

    private var last: [String: Int64] = [:]
    public private(set) var gaps: [Gap] = []
    /// Records that carry a number.
    public private(set) var numbered: Int64 = 0

    public init() {}

    /// Takes the next record of the partition; one that repeats a number is no gap.
    public mutating func note(_ place: CloudEvent.Position, at position: JournalPosition) {
        numbered += 1
        let known = last[place.stream] ?? 0
        if place.sequence > known + 1 {
            gaps.append(Gap(stream: place.stream, missing: known + 1...place.sequence - 1, before: position))
        }
        last[place.stream] = max(known, place.sequence)
    }

    /// How many streams there are.
    public var streams: Int { last.count }
}
