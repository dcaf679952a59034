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
    public init(
        headers: some Sequence<(name: String, value: [UInt8])>, value: [UInt8]
    ) throws(CloudEventError) {
        var known: [String: String] = [:]
        for (name, value) in headers where Self.names.contains(name) {
            guard known[name] == nil else { throw CloudEventError(.repeatedHeader, header: name) }
            guard value.count <= 512, let text = String(outside: value) else {
                throw CloudEventError(.malformedHeader, header: name)
            }
            known[name] = text
        }
        func header(_ name: String) throws(CloudEventError) -> String {
            guard let value = known[name] else { throw CloudEventError(.missingHeader, header: name) }
            return value
        }
        func parse<Value>(_ name: String, _ make: (String) -> Value?) throws(CloudEventError) -> Value {
            guard let value = make(try header(name)) else { throw CloudEventError(.malformedHeader, header: name) }
            return value
        }
        guard try header("ce_specversion") == "1.0" else {
            throw CloudEventError(.wrongVersion, header: "ce_specversion")
        }
        guard try header("content-type").hasPrefix("application/json") else {
            throw CloudEventError(.wrongContentType, header: "content-type")
        }
        var stream: Position?
        if let name = known["ce_stream"] {
            stream = Position(stream: name, sequence: try parse("ce_streamseq") { Int64($0) })
        }
        self.init(
            id: try parse("ce_id") { EventID($0) }, type: try header("ce_type"), source: try header("ce_source"),
            time: try parse("ce_time") { Timestamp(rfc3339: $0) }, subject: try parse("ce_subject") { OrderID($0) },
            causation: known["ce_causationid"] == nil ? nil : try parse("ce_causationid") { EventID($0) },
            traceparent: known["traceparent"], stream: stream, data: value)
    }

    private static let names: Set<String> = [
        "ce_specversion", "ce_id", "ce_type", "ce_source", "ce_time", "ce_subject", "ce_causationid", "ce_stream",
        "ce_streamseq", "content-type", "traceparent",
    ]
}
