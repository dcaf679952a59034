import OrchardJSON

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
    ///   - headers: names and raw values; names that are not ours are ignored.
    ///   - value: the record's value.
    @inlinable
    public init(
        headers: some Sequence<(name: String, value: [UInt8])>, value: [UInt8]
    ) throws(CloudEventError) {
        var known = KnownHeaders()
        for (name, value) in headers { try known.add(name, value) }
        try self.init(known, data: value)
    }

    /// Reads a record whose headers are lent one after the other.
    ///
    /// - Parameters:
    ///   - data: the record's value.
    ///   - headers: calls what it gets with name and raw value of each header; names that are not ours are ignored.
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
