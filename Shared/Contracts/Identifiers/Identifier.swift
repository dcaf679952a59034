/// An identifier of 128 bits, written as 32 lower-case hex digits.
///
/// The phantom `Kind` keeps an order's identifier from being passed where a payment's is expected.
///
/// Frozen, and inlinable where it is compared, hashed and parsed: otherwise other modules would do all that through
/// witness tables.
@frozen
public struct Identifier<Kind>: Hashable, Comparable, Sendable, CustomStringConvertible {
    @usableFromInline let high: UInt64
    @usableFromInline let low: UInt64

    /// Two halves, as in PostgreSQL's `uuid`.
    @inlinable
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    @inlinable
    public static func == (left: Self, right: Self) -> Bool { left.high == right.high && left.low == right.low }

    @inlinable
    public func hash(into hasher: inout Hasher) {
        hasher.combine(high)
        hasher.combine(low)
    }

    /// Sixteen bytes, big-endian.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        self.init(high: Self.number(bytes.prefix(8)), low: Self.number(bytes.dropFirst(8)))
    }

    /// Exactly 32 lower-case hex digits; nil for anything else.
    @inlinable
    public init?(_ text: some StringProtocol) {
        self.init(digits: String(text).utf8.span)
    }

    /// Exactly 32 lower-case hex digits in ASCII; nil for anything else.
    @inlinable
    public init?(digits: Span<UInt8>) {
        guard digits.count == 32, let halves = hexHalves(digits) else { return nil }
        self.init(high: halves.high, low: halves.low)
    }

    /// A UUID version 7 (RFC 9562 5.7): 48 bits of milliseconds, then randomness.
    ///
    /// - Parameter randomness: ten bytes from a cryptographic source.
    public init(time: Timestamp, randomness: [UInt8]) {
        precondition(randomness.count == 10, "a UUIDv7 takes ten random bytes")
        let milliseconds = UInt64(clamping: time.microseconds / 1_000) & 0xffff_ffff_ffff
        let random = UInt64(randomness[0]) << 8 | UInt64(randomness[1])
        high = milliseconds << 16 | 0x7000 | (random & 0x0fff)
        low = 0x8000_0000_0000_0000 | (Self.number(randomness[2...]) & 0x3fff_ffff_ffff_ffff)
    }

    /// A UUID version 8 (RFC 9562 5.8) of the first 16 bytes of a hash, so that the same input always gives the same
    /// identifier.
    public init(hash: [UInt8]) {
        precondition(hash.count >= 16, "a UUIDv8 takes at least 16 bytes of a hash")
        high = Self.number(hash[0..<8]) & ~0xf000 | 0x8000
        low = Self.number(hash[8..<16]) & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000
    }

    /// The halves, as in PostgreSQL's `uuid`.
    @inlinable
    public var halves: (high: UInt64, low: UInt64) { (high, low) }

    /// Sixteen bytes, big-endian.
    @inlinable
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16)
        append(to: &bytes)
        return bytes
    }

    /// Appends the sixteen bytes, big-endian.
    @inlinable
    public func append(to bytes: inout [UInt8]) {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { bytes.append(contentsOf: $0) }
    }

    /// 32 lower-case hex digits.
    @inlinable
    public var description: String { hexDigits(high, low) }

    @inlinable
    public static func < (left: Self, right: Self) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }

    private static func number(_ bytes: some Collection<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}

// Not generic, so that it is compiled once.

/// Two numbers from 32 lower-case hex digits; nil for anything else.
@usableFromInline
func hexHalves(_ digits: Span<UInt8>) -> (high: UInt64, low: UInt64)? {
    guard digits.count >= 32, let first = hexQuarter(digits, 0), let second = hexQuarter(digits, 8),
        let third = hexQuarter(digits, 16), let fourth = hexQuarter(digits, 24)
    else { return nil }
    return (first << 32 | second, third << 32 | fourth)
}

/// The number of the eight digits from `start`, parsed at once; nil for anything else.
private func hexQuarter(_ digits: Span<UInt8>, _ start: Int) -> UInt64? {
    let text = digits.bytes.unsafeLoadUnaligned(fromByteOffset: start, as: UInt64.self).bigEndian
    // In each byte: 1 when it may be a letter, then the value.
    let letters = text >> 6 & 0x0101_0101_0101_0101
    var values = text & 0x0f0f_0f0f_0f0f_0f0f &+ letters &* 9
    // No value is above 15, letters are 10 or above, digits are below 10, and the byte has no other bits than the
    // digit.
    guard values & 0x1010_1010_1010_1010 == 0,
        (values &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101 == letters,
        values &+ 0x3030_3030_3030_3030 &+ letters &* 0x27 == text
    else { return nil }
    values = (values | values >> 4) & 0x00ff_00ff_00ff_00ff
    values = (values | values >> 8) & 0x0000_ffff_0000_ffff
    return (values | values >> 16) & 0xffff_ffff
}

@usableFromInline
func hexDigits(_ high: UInt64, _ low: UInt64) -> String {
    String(unsafeUninitializedCapacity: 32) { buffer in
        for index in 0..<32 {
            let nibble = UInt8(truncatingIfNeeded: (index < 16 ? high : low) >> UInt64(4 * (15 - index % 16))) & 15
            buffer[index] = nibble < 10 ? 0x30 + nibble : 0x61 + nibble - 10
        }
        return 32
    }
}

extension Identifier {
    /// Reads an identifier as an operator enters it: 32 hex digits, or with a UUID's hyphens (RFC 9562 4), as `psql`
    /// shows it.
    public init?(given text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 1 || parts.map(\.utf8.count) == [8, 4, 4, 4, 12] else { return nil }
        self.init(parts.joined())
    }
}
