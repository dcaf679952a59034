/// The place of the current work in a distributed trace: the `traceparent` of W3C Trace Context.
///
/// It is sent as an HTTP header and as a Kafka header of the same name and bytes. Within the process it is a task
/// local, from which every log line takes `trace_id` and `span_id`.
public struct TraceContext: Sendable, Hashable {
    /// The context of the current task.
    @TaskLocal public static var current: TraceContext?

    /// 32 lower-case hexadecimal digits, not all zero.
    public var traceID: String {
        var digits: [UInt8] = []
        digits.reserveCapacity(32)
        writeTraceID(to: &digits)
        return String(decoding: digits, as: UTF8.self)
    }
    /// 16 lower-case hexadecimal digits, not all zero.
    public var spanID: String { Self.hex(span, digits: 16) }
    /// Bit 0: the caller recorded this trace.
    public let flags: UInt8

    // Kept as numbers: most requests never write their trace as text.
    private let high: UInt64
    private let low: UInt64
    private let span: UInt64

    private init(high: UInt64, low: UInt64, span: UInt64, flags: UInt8) {
        self.high = high
        self.low = low
        self.span = span
        self.flags = flags
    }

    /// Parses a `traceparent` field strictly (W3C Trace Context, 3.2); nil for anything it does not allow.
    ///
    /// A version above 00 may have more fields after another dash; they are dropped, as the standard requires.
    public init?(traceparent: String) {
        let parts = traceparent.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count >= 4,
            let version = Self.hex(parts[0], digits: 2), version != "ff", version == "00" ? parts.count == 4 : true,
            let traceID = Self.hex(parts[1], digits: 32), let spanID = Self.hex(parts[2], digits: 16),
            let high = UInt64(traceID.prefix(16), radix: 16), let low = UInt64(traceID.suffix(16), radix: 16),
            let span = UInt64(spanID, radix: 16), high | low != 0, span != 0,
            let flagText = Self.hex(parts[3], digits: 2), let flags = UInt8(flagText, radix: 16)
        else { return nil }
        self.init(high: high, low: low, span: span, flags: version == "00" ? flags : flags & 1)
    }

    /// The start of a new trace.
    public static func random() -> TraceContext {
        let (high, low, span) = RandomNumbers.three()
        return TraceContext(high: high, low: low, span: span, flags: 1)
    }

    /// A new span of the same trace.
    public func child() -> TraceContext {
        TraceContext(high: high, low: low, span: RandomNumbers.three().0, flags: flags)
    }

    /// Writes ``traceID`` behind `bytes`.
    public func writeTraceID(to bytes: inout [UInt8]) {
        let (first, second) = (Self.digits(UInt32(high >> 32)), Self.digits(UInt32(truncatingIfNeeded: high)))
        let (third, fourth) = (Self.digits(UInt32(low >> 32)), Self.digits(UInt32(truncatingIfNeeded: low)))
        withUnsafeBytes(of: (first.bigEndian, second.bigEndian, third.bigEndian, fourth.bigEndian)) {
            bytes.append(contentsOf: $0)
        }
    }

    /// The eight hexadecimal digits of a number, computed side by side: every answer names its trace.
    private static func digits(_ number: UInt32) -> UInt64 {
        // One digit a byte.
        var spread = UInt64(number)
        spread = (spread | spread << 16) & 0x0000_FFFF_0000_FFFF
        spread = (spread | spread << 8) & 0x00FF_00FF_00FF_00FF
        spread = (spread | spread << 4) & 0x0F0F_0F0F_0F0F_0F0F
        // 1 in each byte whose digit is a letter.
        let letters = (spread + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        return spread + 0x3030_3030_3030_3030 + letters * 0x27
    }

    /// The field's value, version 00.
    public var traceparent: String { "00-\(traceID)-\(spanID)-\(Self.hex(UInt64(flags), digits: 2))" }

    private static func hex(_ part: Substring.UTF8View, digits: Int) -> String? {
        let allowed = part.allSatisfy {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
        }
        return part.count == digits && allowed ? String(Substring(part)) : nil
    }

    private static func hex(_ value: UInt64, digits: Int) -> String {
        String(unsafeUninitializedCapacity: digits) { text in
            for place in 0..<digits { text[place] = digit(value, digits - 1 - place) }
            return digits
        }
    }

    /// A hexadecimal digit of a number, counted from its end.
    private static func digit(_ value: UInt64, _ place: Int) -> UInt8 {
        let digit = UInt8(value >> UInt64(4 * place) & 15)
        return digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
    }
}
