import OrchardJSON

/// The headers that this system knows. Each is read when it arrives, identifiers and times directly from their bytes.
@usableFromInline
struct KnownHeaders {
    /// A header that is present.
    enum Header<Value> {
        case read(Value)
        /// A text that is not valid for the header.
        case malformed

        func value(_ name: String) throws(CloudEventError) -> Value {
            guard case .read(let value) = self else { throw CloudEventError(.malformedHeader, header: name) }
            return value
        }
    }

    /// Whether it is the known version.
    var specversion: Header<Bool>?
    /// Whether it is JSON.
    var contentType: Header<Bool>?
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

    /// Reads the next header. Names that are not ours are ignored.
    @usableFromInline
    mutating func add(_ name: String, _ value: [UInt8]) throws(CloudEventError) {
        try add(name.utf8.span, value.span)
    }

    /// Reads the next header from borrowed bytes.
    mutating func add(_ name: Span<UInt8>, _ value: Span<UInt8>) throws(CloudEventError) {
        switch name.count {
        case 5: if name.isText("ce_id") { try Self.set(&id, "ce_id", value) { EventID(digits: $0) } }
        case 7:
            if name.isText("ce_type") { try Self.set(&type, "ce_type", value) }
            if name.isText("ce_time") { try Self.set(&time, "ce_time", value) { Timestamp(rfc3339: $0) } }
        case 9:
            if name.isText("ce_source") { try Self.set(&source, "ce_source", value) }
            if name.isText("ce_stream") { try Self.set(&stream, "ce_stream", value) }
        case 10: if name.isText("ce_subject") { try Self.set(&subject, "ce_subject", value) { OrderID(digits: $0) } }
        case 11: if name.isText("traceparent") { try Self.set(&traceparent, "traceparent", value) }
        case 12:
            if name.isText("ce_streamseq") {
                try Self.set(&sequence, "ce_streamseq", value) { String(outside: $0).flatMap { Int64($0) } }
            } else if name.isText("content-type") {
                try Self.set(&contentType, "content-type", value) {
                    $0.isASCII ? $0.begins("application/json") : String(outside: $0)?.hasPrefix("application/json")
                }
            }
        case 14:
            if name.isText("ce_specversion") {
                try Self.set(&specversion, "ce_specversion", value) {
                    $0.isText("1.0") ? true : String(outside: $0) == nil ? nil : false
                }
            } else if name.isText("ce_causationid") {
                try Self.set(&causation, "ce_causationid", value) { EventID(digits: $0) }
            }
        default: break
        }
    }

    /// - Parameter read: returns nil for a malformed value; otherwise the bytes are a text.
    private static func set<Value>(
        _ header: inout Header<Value>?, _ name: String, _ value: Span<UInt8>, _ read: (Span<UInt8>) -> Value?
    ) throws(CloudEventError) {
        try check(header == nil, name, value.count)
        if let value = read(value) { return header = .read(value) }
        guard String(outside: value) != nil else { throw CloudEventError(.malformedHeader, header: name) }
        header = .malformed
    }

    private static func set(
        _ header: inout Header<String>?, _ name: String, _ value: Span<UInt8>
    ) throws(CloudEventError) {
        try check(header == nil, name, value.count)
        guard let text = String(outside: value) else { throw CloudEventError(.malformedHeader, header: name) }
        header = .read(text)
    }

    private static func check(_ isFirst: Bool, _ name: String, _ count: Int) throws(CloudEventError) {
        guard isFirst else { throw CloudEventError(.repeatedHeader, header: name) }
        guard count <= 512 else { throw CloudEventError(.malformedHeader, header: name) }
    }
}

extension Span<UInt8> {
    /// Whether these are the bytes of a text in ASCII.
    package func isText(_ text: StaticString) -> Bool { count == text.utf8CodeUnitCount && begins(text) }

    /// Whether these bytes begin with those of a text in ASCII.
    package func begins(_ text: StaticString) -> Bool {
        guard count >= text.utf8CodeUnitCount else { return false }
        return text.withUTF8Buffer { text in
            for index in text.indices where self[index] != text[index] { return false }
            return true
        }
    }
}

extension Optional {
    /// The value of a header that must be present.
    func required<Value>(_ name: String) throws(CloudEventError) -> Value where Wrapped == KnownHeaders.Header<Value> {
        guard let self else { throw CloudEventError(.missingHeader, header: name) }
        return try self.value(name)
    }
}
