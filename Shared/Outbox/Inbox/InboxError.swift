import OrchardServiceKit

/// Why a partition must not be processed.
public struct InboxError: TransientError, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// Another process has advanced the watermark: this consumer no longer owns the partition.
        public static let fenced = Self(description: "fenced")
        /// The partition was never started.
        public static let noWatermark = Self(description: "noWatermark")
        /// The log does not begin at offset 0, and the database has no watermark.
        public static let logDoesNotBegin = Self(description: "logDoesNotBegin")
        /// The group has committed more than the database holds: the database was restored or lost.
        public static let watermarkBehind = Self(description: "watermarkBehind")
        /// The database is another server or timeline than the one that wrote the watermark.
        public static let databaseChanged = Self(description: "databaseChanged")
        /// The watermark belongs to another Kafka cluster.
        public static let clusterChanged = Self(description: "clusterChanged")
        /// A standby of the same server was promoted. The service brings the partition up to the log by itself before
        /// it continues.
        public static let promoted = Self(description: "promoted")
        /// The partition was refused before, and `recover` was not run since.
        public static let refused = Self(description: "refused")
        /// The watermark is behind what this process has processed: the partition is read again from the watermark.
        public static let movedBack = Self(description: "movedBack")
        /// The log ends before the watermark, or holds another record where the last one was read: it has lost records
        /// or was recreated.
        public static let logBehind = Self(description: "logBehind")

        /// Whether all instances must know that the partition stops until an operator has run `recover`.
        var isOfOlderDatabase: Bool { [.watermarkBehind, .logBehind, .databaseChanged].contains(self) }
    }

    public let code: Code
    /// What was found, with numbers, and what to run.
    public let reason: String
    public let topic: String
    public let partition: Int32

    public init(_ code: Code, _ reason: String, topic: String, partition: Int32) {
        self.code = code
        self.reason = reason
        self.topic = topic
        self.partition = partition
    }

    /// A partition that another instance works on returns or leaves by itself; every other error needs an operator.
    public var isTransient: Bool { code == .fenced }

    public var description: String { "\(topic)/\(partition): \(reason) (\(code))" }
}
