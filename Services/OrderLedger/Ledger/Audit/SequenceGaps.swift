import Contracts

/// Follows the numbers of a partition's streams: a number that is missing is a lost record, told from a legal hole of
/// offsets; one that two facts carry was given by a database that had been restored.
public struct SequenceGaps: Hashable, Sendable {
    /// Numbers of a stream that no record carries.
    public struct Gap: Hashable, Sendable {
        public let stream: String
        public let missing: ClosedRange<Int64>
        /// The record behind the gap.
        public let before: JournalPosition
    }

    /// A number that another fact carries already.
    public struct Repetition: Hashable, Sendable {
        public let number: CloudEvent.Position
        public let position: JournalPosition
    }

    private var sequences: [String: StreamSequence] = [:]
    private var found: [Gap] = []
    /// In the order of the partition.
    public private(set) var repetitions: [Repetition] = []
    /// Records that carry a number.
    public private(set) var numbered: Int64 = 0

    public init() {}

    /// Takes the next row of the partition.
    ///
    /// - Parameter isTaken: whether the fact is in the books. One that was refused is refused again when it is
    ///   delivered again; of those that were taken, a second telling makes no row.
    public mutating func add(_ place: CloudEvent.Position, at position: JournalPosition, isTaken: Bool = true) {
        numbered += 1
        switch sequences[place.stream, default: StreamSequence()].receive(place.sequence) {
        case .next, .late: break
        case .gap(let missing): found.append(Gap(stream: place.stream, missing: missing, before: position))
        case .duplicate: if isTaken { repetitions.append(Repetition(number: place, position: position)) }
        }
    }

    /// What is missing now, in the order of the partition; numbers that came late after all are not.
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
