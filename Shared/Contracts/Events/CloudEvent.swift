import OrchardJSON

/// A record on a topic: CloudEvents 1.0 in Kafka's binary mode (context in headers, data as the value).
public struct CloudEvent: Hashable, Sendable {
    public let id: EventID
    /// For example `orchard.payment.succeeded.v1`.
    public let type: String
    /// The program that wrote it, for example `/charge-gateway`.
    public let source: String
    /// When it happened, by the clock of the writer's database.
    public let time: Timestamp
    /// The order that it is about; also Kafka's key.
    public let subject: OrderID
    /// The event that caused this one.
    public let causation: EventID?
    /// W3C trace context.
    public let traceparent: String?
    /// The writer's outbox and the record's number in it. The numbers of a partition have no gaps.
    public let stream: Position?
    /// JSON.
    public let data: [UInt8]

    /// A position in an outbox's stream.
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

    /// An attempt that was rejected.
    public init(_ rejected: PaymentRejected, source: String, time: Timestamp, traceparent: String? = nil) {
        self.init(
            id: rejected.id, type: PaymentRejected.type, source: source, time: time, subject: rejected.order,
            traceparent: traceparent, data: rejected.json)
    }

    /// The contact of a payment.
    public init(_ contact: ContactReceived, source: String, time: Timestamp, traceparent: String? = nil) {
        self.init(
            id: contact.id, type: ContactReceived.type, source: source, time: time, subject: contact.order,
            traceparent: traceparent, data: contact.json)
    }

    /// An erasure.
    public init(_ erased: ContactErased, source: String, time: Timestamp, traceparent: String? = nil) {
        self.init(
            id: erased.id, type: ContactErased.type, source: source, time: time, subject: erased.order,
            traceparent: traceparent, data: erased.json)
    }
}

extension CloudEvent {
    /// The record's headers, in the order of CloudEvents' Kafka binding.
    public var headers: [(name: String, value: String)] {
        var headers: [(name: String, value: String)] = [
            ("ce_specversion", "1.0"), ("ce_id", id.description), ("ce_type", type), ("ce_source", source),
            ("ce_time", time.description), ("ce_subject", subject.description),
        ]
        if let causation { headers.append(("ce_causationid", causation.description)) }
        if let stream {
            headers.append(("ce_stream", stream.stream))
            headers.append(("ce_streamseq", String(stream.sequence)))
        }
        headers.append(("content-type", "application/json"))
        if let traceparent { headers.append(("traceparent", traceparent)) }
        return headers
    }

    /// The record's key: the order id's 32 hex digits.
    public var key: [UInt8] { Array(subject.description.utf8) }

    /// Reads a record.
    ///
    /// - Parameters:
    ///   - headers: names and raw values; unknown names are ignored.
    ///   - value: the record's value.
    @inlinable
    public init(
        headers: some Sequence<(name: String, value: [UInt8])>, value: [UInt8]
    ) throws(CloudEventError) {
        var known = KnownHeaders()
        for (name, value) in headers { try known.add(name, value) }
        try self.init(known, data: value)
    }

    /// Reads a record whose headers are lent one by one.
    ///
    /// - Parameters:
    ///   - data: the record's value.
    ///   - headers: calls its argument with the name and raw value of each header; unknown names are ignored.
    public init(
        data: [UInt8],
        headers: ((Span<UInt8>, Span<UInt8>) throws(CloudEventError) -> Void) throws(CloudEventError) -> Void
    ) throws(CloudEventError) {
        var known = KnownHeaders()
        try headers { (name, value) throws(CloudEventError) in try known.add(name, value) }
        try self.init(known, data: data)
    }

    @usableFromInline
    init(_ known: KnownHeaders, data: [UInt8]) throws(CloudEventError) {
        guard try known.specversion.required("ce_specversion") else {
            throw CloudEventError(.wrongVersion, header: "ce_specversion")
        }
        guard try known.contentType.required("content-type") else {
            throw CloudEventError(.wrongContentType, header: "content-type")
        }
        var stream: Position?
        if let name = try known.stream?.value("ce_stream") {
            stream = Position(stream: name, sequence: try known.sequence.required("ce_streamseq"))
        }
        self.init(
            id: try known.id.required("ce_id"), type: try known.type.required("ce_type"),
            source: try known.source.required("ce_source"), time: try known.time.required("ce_time"),
            subject: try known.subject.required("ce_subject"), causation: try known.causation?.value("ce_causationid"),
            traceparent: try known.traceparent?.value("traceparent"), stream: stream, data: data)
    }
}
