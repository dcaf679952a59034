/// A record on a topic: CloudEvents 1.0 in Kafka's binary mode (context in headers, data as the value).
public struct CloudEvent: Hashable, Sendable {
    public let id: EventID
    /// For example `orchard.payment.succeeded.v1`.
    public let type: String
    /// The program that wrote it, for example `/charge-gateway`.
    public let source: String
    /// When it happened, by the writer's database.
    public let time: Timestamp
    /// The order that it concerns; also Kafka's key.
    public let subject: OrderID
    /// The event that caused this one.
    public let causation: EventID?
    /// W3C trace context.
    public let traceparent: String?
    /// The outbox that the record came through and its number there, without gaps for each partition.
    public let stream: Position?
    /// JSON.
    public let data: [UInt8]

    /// A place in an outbox's stream.
    public struct Position: Hashable, Sendable {
        public let stream: String
        public let sequence: Int64

        public init(stream: String, sequence: Int64) {
            self.stream = stream
            self.sequence = sequence
        }
    }

    public init(
        id: EventID, type: String, source: String, time: Timestamp, subject: OrderID, causation: EventID? = nil,
        traceparent: String? = nil, stream: Position? = nil, data: [UInt8]
    ) {
        self.id = id
        self.type = type
        self.source = source
        self.time = time
        self.subject = subject
        self.causation = causation
        self.traceparent = traceparent
        self.stream = stream
        self.data = data
    }

    /// A fact of the journal.
    public init(
        _ fact: Fact, source: String, time: Timestamp, causation: EventID? = nil, traceparent: String? = nil
    ) {
        self.init(
            id: fact.id, type: fact.type, source: source, time: time, subject: fact.order, causation: causation,
            traceparent: traceparent, data: fact.json)
    }

    /// A command to the gateway.
    public init(_ command: Command, source: String, time: Timestamp, traceparent: String? = nil) {
        self.init(
            id: command.id, type: command.type, source: source, time: time, subject: command.order,
            traceparent: traceparent, data: command.json)
    }

    /// An attempt that was turned away.
    public init(_ rejected: PaymentRejected, source: String, time: Timestamp, traceparent: String? = nil) {
        self.init(
            id: rejected.id, type: PaymentRejected.type, source: source, time: time, subject: rejected.order,
            traceparent: traceparent, data: rejected.json)
    }
}
