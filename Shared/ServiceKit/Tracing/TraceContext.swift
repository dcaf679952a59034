/// Where in a distributed trace the current work belongs: the `traceparent` of W3C Trace Context.
///
/// It travels as an HTTP header and as a Kafka header of the same name and bytes, and within the process as a task
/// local, from which every log line takes `trace_id` and `span_id`.
public struct TraceContext: Sendable, Hashable {
    /// The context of the current task.
    @TaskLocal public static var current: TraceContext?

    /// 32 lower-case hexadecimal digits, not all zero.
    public let traceID: String
    /// 16 lower-case hexadecimal digits, not all zero.
    public let spanID: String
    /// Bit 0: the caller recorded this trace.
    public let flags: UInt8

    private init(traceID: String, spanID: String, flags: UInt8) {
        self.traceID = traceID
        self.spanID = spanID
        self.flags = flags
    }

    /// Parses a `traceparent` field strictly (W3C Trace Context, 3.2); nil for anything it does not allow.
    ///
    /// A version above 00 may carry more fields behind another dash; they are dropped, as the standard wants.
    public init?(traceparent: String) {
        let parts = traceparent.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count >= 4,
            let version = Self.hex(parts[0], digits: 2), version != "ff", version == "00" ? parts.count == 4 : true,
            let traceID = Self.hex(parts[1], digits: 32), traceID.contains(where: { $0 != "0" }),
            let spanID = Self.hex(parts[2], digits: 16), spanID.contains(where: { $0 != "0" }),
            let flagText = Self.hex(parts[3], digits: 2), let flags = UInt8(flagText, radix: 16)
        else { return nil }
        self.init(traceID: traceID, spanID: spanID, flags: version == "00" ? flags : flags & 1)
    }

    /// The start of a new trace.
    public static func random() -> TraceContext {
        TraceContext(traceID: randomHex() + randomHex(), spanID: randomHex(), flags: 1)
    }

    /// A new span of the same trace.
    public func child() -> TraceContext {
        TraceContext(traceID: traceID, spanID: Self.randomHex(), flags: flags)
    }

    /// The field's value, version 00.
    public var traceparent: String { "00-\(traceID)-\(spanID)-\(Self.hex(UInt64(flags), digits: 2))" }

    private static func hex(_ part: Substring.UTF8View, digits: Int) -> String? {
        let allowed = part.allSatisfy {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
        }
        return part.count == digits && allowed ? String(Substring(part)) : nil
    }

    private static func randomHex() -> String { hex(RandomNumbers.next(), digits: 16) }

    private static func hex(_ value: UInt64, digits: Int) -> String {
        var text = [UInt8](repeating: 0, count: digits)
        for place in 0..<digits {
            let digit = UInt8(value >> UInt64(4 * (digits - 1 - place)) & 15)
            text[place] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
        }
        return String(decoding: text, as: UTF8.self)
    }
}
