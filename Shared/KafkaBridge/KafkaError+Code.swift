import CRDKafka
import OrchardServiceKit

extension KafkaError {
    /// The number of an error: positive ones are the broker's (Kafka protocol), negative ones librdkafka's, those
    /// below −10 000 this library's own.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        public let rawValue: Int32

        public init(rawValue: Int32) { self.rawValue = rawValue }

        private init(_ error: rd_kafka_resp_err_t) { rawValue = error.rawValue }

        // This library's own.

        /// A setting is unknown, malformed or reserved; every problem is in the reason.
        public static let invalidConfiguration = Self(rawValue: -10_001)
        /// The partition has left since the batch was given to the handler.
        public static let staleGeneration = Self(rawValue: -10_002)
        /// The client was closed.
        public static let closed = Self(rawValue: -10_003)
        /// The requested offset has left the topic, or is not there yet.
        public static let offsetOutOfRange = Self(RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE)
        /// Topics are missing or not as they must be; every problem is in the reason.
        public static let topicsNotReady = Self(rawValue: -10_004)

        // librdkafka's.

        /// No acknowledgement within the delivery timeout: the message may or may not have been written.
        public static let deliveryTimedOut = Self(RD_KAFKA_RESP_ERR__MSG_TIMED_OUT)
        /// The call took longer than it may.
        public static let timedOut = Self(RD_KAFKA_RESP_ERR__TIMED_OUT)
        /// The connection to a broker broke or could not be made.
        public static let transport = Self(RD_KAFKA_RESP_ERR__TRANSPORT)
        /// No broker can be reached.
        public static let allBrokersDown = Self(RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN)
        /// The producer's queue is full. Never thrown by ``KafkaProducer``, which waits.
        public static let queueFull = Self(RD_KAFKA_RESP_ERR__QUEUE_FULL)
        /// A partition's start offset is missing or outside the log, and none may be guessed.
        public static let noOffset = Self(RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET)
        /// The consumer was not polled for `max.poll.interval.ms` and left its group.
        public static let maximumPollExceeded = Self(RD_KAFKA_RESP_ERR__MAX_POLL_EXCEEDED)
        /// The cluster cannot do this.
        public static let unsupported = Self(RD_KAFKA_RESP_ERR__UNSUPPORTED_FEATURE)
        /// The topic is not known to this client.
        public static let unknownTopic = Self(RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC)
        /// The partition does not exist.
        public static let unknownPartition = Self(RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION)
        /// The client met an error it cannot go on from.
        public static let fatal = Self(RD_KAFKA_RESP_ERR__FATAL)

        // The broker's.

        /// The topic or partition is not known to the broker.
        public static let unknownTopicOrPartition = Self(RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART)
        /// The message is larger than the topic allows.
        public static let messageTooLarge = Self(RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE)
        /// The topic exists already.
        public static let topicExists = Self(RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS)

        /// Another member has joined the group under this one's name.
        public static let fencedInstance = Self(RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID)

        static let noError = Self(RD_KAFKA_RESP_ERR_NO_ERROR)
        static let endOfPartition = Self(RD_KAFKA_RESP_ERR__PARTITION_EOF)

        static let retriable: Set<Self> = [
            .deliveryTimedOut, .timedOut, .transport, .allBrokersDown, .queueFull,
            Self(RD_KAFKA_RESP_ERR__RESOLVE), Self(RD_KAFKA_RESP_ERR__WAIT_COORD),
            Self(RD_KAFKA_RESP_ERR__TIMED_OUT_QUEUE), Self(RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART),
            Self(RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE), Self(RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION),
            Self(RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT), Self(RD_KAFKA_RESP_ERR_BROKER_NOT_AVAILABLE),
            Self(RD_KAFKA_RESP_ERR_NETWORK_EXCEPTION), Self(RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS),
            Self(RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE), Self(RD_KAFKA_RESP_ERR_NOT_COORDINATOR),
            Self(RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS), Self(RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS_AFTER_APPEND),
            Self(RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS), Self(RD_KAFKA_RESP_ERR_KAFKA_STORAGE_ERROR),
        ]

        /// How loud an error event of a client is. What happened to one connection librdkafka has logged as well.
        var severity: LogLevel { [Self.transport, .timedOut].contains(self) ? .debug : .warning }

        /// librdkafka's name, for example `_MSG_TIMED_OUT`, or the number.
        public var description: String {
            switch self {
            case .invalidConfiguration: "INVALID_CONFIGURATION"
            case .staleGeneration: "STALE_GENERATION"
            case .closed: "CLOSED"
            case .topicsNotReady: "TOPICS_NOT_READY"
            default: rd_kafka_err2name(rd_kafka_resp_err_t(rawValue)).map { String(cString: $0) } ?? "\(rawValue)"
            }
        }
    }
}
