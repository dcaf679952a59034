import Contracts

/// Tracks the numbers of a partition's streams. A missing number is a lost record, unlike a legal gap of offsets. A
/// number that two facts have was given by a restored database.
public struct SequenceGaps: Hashable, Sendable {
    /// Numbers of a stream that no record has.
    public struct Gap: Hashable, Sendable {
        public let stream: String
        public let missing: ClosedRange<Int64>
        /// The record after the gap.
        public let before: JournalPosition
    }

    /// A number that another fact has already.
    public struct Repetition: Hashable, Sendable {
        public let number: CloudEvent.Position
        public let position: JournalPosition
    }

    private var sequences: [String: StreamSequence] = [:]
    private var found: [Gap] = []
    /// In the order of the partition.
    public private(set) var repetitions: [Repetition] = []
    /// The number of records with a number.
    public private(set) var numbered: Int64 = 0

    public init() {}

    /// Processes the next row of the partition.
    ///
    /// - Parameter isTaken: whether the fact is in the books. A refused fact is refused again when it is delivered
    ///   again; an applied fact that is published again makes no row.
    public mutating func add(_ place: CloudEvent.Position, at position: JournalPosition, isTaken: Bool = true) {
        numbered += 1
        switch sequences[place.stream, default: StreamSequence()].receive(place.sequence) {
        case .next, .late: break
        case .gap(let missing): found.append(Gap(stream: place.stream, missing: missing, before: position))
        case .duplicate: if isTaken { repetitions.append(Repetition(number: place, position: position)) }
        }
    }

    /// The numbers that are missing now, in the order of the partition; without those that arrived late.
    public var gaps: [Gap] {
        found.flatMap { gap in
            (sequences[gap.stream]?.missing ?? []).filter { gap.missing.contains($0.lowerBound) }.map {
                Gap(stream: gap.stream, missing: $0, before: gap.before)
            }
        }
    }

    /// How many streams there are.
    public var streams: Int { sequences.count }
}
