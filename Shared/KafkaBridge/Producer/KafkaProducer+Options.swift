extension KafkaProducer {
    /// The options of a producer.
    public struct Options: Sendable {
        /// How long a message may wait for its acknowledgement before ``KafkaError/Code-swift.struct/deliveryTimedOut``;
        /// `nil` waits for ever and then never lets a later message of a partition overtake an earlier one.
        public var deliveryTimeout: Duration? = .seconds(10)
        /// How long the first message of a batch waits for company.
        public var linger: Duration = .milliseconds(5)
        /// `none`, `gzip`, `snappy`, `lz4` or `zstd`.
        public var compression = "lz4"
        /// Messages that may wait in memory; a sender waits for room.
        public var queueLimit = 100_000

        public init() {}

        /// For records whose order counts, as those of an outbox: each is tried until it is there, and none overtakes
        /// another. Their sender is released by ``KafkaProducer/giveUp()``.
        public static var keepingOrder: Self {
            var options = Self()
            options.deliveryTimeout = nil
            // They come as batches already: 1 ms lets a batch leave whole, and a device waits for them.
            options.linger = .milliseconds(1)
            return options
        }

        var settings: [String: String] {
            [
                "acks": "all",
                "enable.idempotence": "true",
                "message.timeout.ms": "\(deliveryTimeout?.milliseconds ?? 0)",
                "linger.ms": "\(linger.milliseconds)",
                "compression.type": compression,
                "queue.buffering.max.messages": "\(queueLimit)",
            ].merging(connectionSettings) { own, _ in own }
        }
    }
}

/// Settings of every client: notice a hanging broker within seconds, come back within one.
let connectionSettings = [
    "socket.keepalive.enable": "true",
    "socket.timeout.ms": "10000",
    "topic.metadata.refresh.interval.ms": "30000",
    "reconnect.backoff.ms": "50",
    "reconnect.backoff.max.ms": "1000",
]

extension Duration {
    /// Whole milliseconds.
    var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
