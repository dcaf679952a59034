/// An identifier of 128 bits, written as 32 lower-case hex digits.
///
/// The phantom `Kind` keeps an order's identifier from being passed where a payment's is wanted.
public struct Identifier<Kind>: Hashable, Comparable, Sendable, CustomStringConvertible {
    private let high: UInt64
    private let low: UInt64

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Sixteen bytes, big-endian.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        self.init(high: Self.number(bytes.prefix(8)), low: Self.number(bytes.dropFirst(8)))
    }

    /// Exactly 32 lower-case hex digits; nil for anything else.
    public init?(_ text: some StringProtocol) {
        let digits = Array(text.utf8)
        guard digits.count == 32 else { return nil }
        var halves: (UInt64, UInt64) = (0, 0)
        for (index, digit) in digits.enumerated() {
            let value: UInt8
            switch digit {
            case 0x30...0x39: value = digit - 0x30
            case 0x61...0x66: value = digit - 0x61 + 10
            default: return nil
            }
            if index < 16 { halves.0 = halves.0 << 4 | UInt64(value) } else { halves.1 = halves.1 << 4 | UInt64(value) }
        }
        self.init(high: halves.0, low: halves.1)
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

    /// A UUID version 8 (RFC 9562 5.8) of the first 16 bytes of a hash, so that the same input has the same name
    /// everywhere and for ever.
    public init(hash: [UInt8]) {
        precondition(hash.count >= 16, "a UUIDv8 takes at least 16 bytes of a hash")
        high = Self.number(hash[0..<8]) & ~0xf000 | 0x8000
        low = Self.number(hash[8..<16]) & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000
    }

    /// Sixteen bytes, big-endian.
    public var bytes: [UInt8] {
        (0..<16).map { index in
            UInt8(truncatingIfNeeded: (index < 8 ? high : low) >> UInt64(8 * (7 - index % 8)))
        }
    }

    /// 32 lower-case hex digits.
    public var description: String {
        String(unsafeUninitializedCapacity: 32) { buffer in
            for index in 0..<32 {
                let nibble = UInt8(truncatingIfNeeded: (index < 16 ? high : low) >> UInt64(4 * (15 - index % 16))) & 15
                buffer[index] = nibble < 10 ? 0x30 + nibble : 0x61 + nibble - 10
            }
            return 32
        }
    }

    public static func < (left: Self, right: Self) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }

    private static func number(_ bytes: some Collection<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
