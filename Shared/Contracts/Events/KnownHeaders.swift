import OrchardJSON

/// The headers of a record that are ours, each read as soon as it comes; identifiers and times from their bytes.
@usableFromInline
struct KnownHeaders {
    /// A header that is there.
    enum Header<Value> {
        case read(Value)
        /// A text, but none that the header may have.
        case malformed

        func value(_ name: String) throws(CloudEventError) -> Value {
            guard case .read(let value) = self else { throw CloudEventError(.malformedHeader, header: name) }
            return value
        }
    }

    var specversion: Header<String>?
    var contentType: Header<String>?
    var id: Header<EventID>?
    var type: Header<String>?
    var source: Header<String>?
    var time: Header<Timestamp>?
    var subject: Header<OrderID>?
    var causation: Header<EventID>?
    var traceparent: Header<String>?
    var stream: Header<String>?
    var sequence: Header<Int64>?

    @usableFromInline
    init() {}

    /// Takes the next header; names that are not ours are ignored.
    @usableFromInline
    mutating func take(_ name: String, _ value: [UInt8]) throws(CloudEventError) {
        switch name {
        case "ce_id": try Self.set(&id, name, value) { EventID(digits: $0) }
        case "ce_type": try Self.set(&type, name, value)
        case "ce_source": try Self.set(&source, name, value)
        case "ce_time": try Self.set(&time, name, value) { Timestamp(rfc3339: $0) }
        case "ce_subject": try Self.set(&subject, name, value) { OrderID(digits: $0) }
        case "ce_stream": try Self.set(&stream, name, value)
        case "ce_streamseq":
            try Self.set(&sequence, name, value) { _ in String(outside: value).flatMap { Int64($0) } }
        case "ce_specversion": try Self.set(&specversion, name, value)
        case "ce_causationid": try Self.set(&causation, name, value) { EventID(digits: $0) }
        case "content-type": try Self.set(&contentType, name, value)
        case "traceparent": try Self.set(&traceparent, name, value)
        default: break
        }
    }

    /// - Parameter read: gives nil for what is malformed; else the bytes are ASCII.
    private static func set<Value>(
        _ header: inout Header<Value>?, _ name: String, _ value: [UInt8], _ read: (Span<UInt8>) -> Value?
    ) throws(CloudEventError) {
        try check(header == nil, name, value)
        if let value = read(value.span) { return header = .read(value) }
        guard String(outside: value) != nil else { throw CloudEventError(.malformedHeader, header: name) }
        header = .malformed
    }

    private static func set(
        _ header: inout Header<String>?, _ name: String, _ value: [UInt8]
    ) throws(CloudEventError) {
        try check(header == nil, name, value)
        guard let text = String(outside: value) else { throw CloudEventError(.malformedHeader, header: name) }
        header = .read(text)
    }

    private static func check(_ isFirst: Bool, _ name: String, _ value: [UInt8]) throws(CloudEventError) {
        guard isFirst else { throw CloudEventError(.repeatedHeader, header: name) }
        guard value.count <= 512 else { throw CloudEventError(.malformedHeader, header: name) }
    }
}

extension Optional {
    /// The value of a header that must be there.
    func required<Value>(_ name: String) throws(CloudEventError) -> Value where Wrapped == KnownHeaders.Header<Value> {
        guard let self else { throw CloudEventError(.missingHeader, header: name) }
        return try self.value(name)
    }
}
