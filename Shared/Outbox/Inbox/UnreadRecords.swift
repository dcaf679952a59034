/// The oldest unprocessed record of each partition, as the last check found it. Pure.
struct UnreadRecords: Equatable {
    /// What is known of a partition.
    enum Finding: Equatable {
        /// Every record is processed.
        case none
        /// The first record at or after the watermark, and when it was written: milliseconds since 1970.
        case oldest(next: Int64, writtenAt: Int64)
        /// The partition cannot be read.
        case unknown(String)
    }

    /// From this age on `/readyz` warns.
    static let limit: Int64 = 30

    private var findings: [Int32: Finding] = [:]

    /// Whether the oldest record of a partition with this watermark is already known, so that it need not be read
    /// again.
    func isKnown(_ partition: Int32, next: Int64) -> Bool {
        guard case .oldest(next, _) = findings[partition] else { return false }
        return true
    }

    /// Records the result of a check. A partition that cannot be read keeps its last result.
    mutating func set(_ partition: Int32, _ finding: Finding) {
        if case .unknown = finding, case .oldest = findings[partition] { return }
        findings[partition] = finding
    }

    /// For how long the partition's oldest unread record waits, in seconds; 0 when none does, nil when it is not known.
    ///
    /// - Parameter time: milliseconds since 1970.
    func age(of partition: Int32, at time: Int64) -> Double? {
        switch findings[partition] {
        case .none?: 0
        case .oldest(_, let writtenAt)?: max(Double(time - writtenAt) / 1_000, 0)
        case .unknown?, nil: nil
        }
    }

    /// The text for `/readyz`, and whether it is a warning.
    ///
    /// - Parameters:
    ///   - noun: the singular name of the records.
    ///   - topic: their topic's name.
    func text(of noun: String, in topic: String, at time: Int64) -> (text: String, isWarning: Bool) {
        let ages = findings.keys.compactMap { partition in
            age(of: partition, at: time).map { (partition: partition, seconds: Int64($0)) }
        }
        let unknown = findings.compactMap { partition, finding in
            if case .unknown(let reason) = finding { (partition: partition, reason: reason) } else { nil }
        }
        var text = "no \(noun) waits"
        var isLate = false
        if findings.contains(where: { if case .oldest = $1 { true } else { false } }),
            let oldest = ages.max(by: { ($0.seconds, $1.partition) < ($1.seconds, $0.partition) })
        {
            isLate = oldest.seconds >= Self.limit
            text = "the oldest unread \(noun) waits \(oldest.seconds) s (\(topic)/\(oldest.partition))"
            if isLate { text += "; its consumer is too slow, stands still, or is gone" }
        }
        if let first = unknown.min(by: { $0.partition < $1.partition }) {
            text +=
                "; \(unknown.count) partitions cannot be checked, first \(topic)/\(first.partition): \(first.reason)"
        }
        return (text, isLate)
    }
}
