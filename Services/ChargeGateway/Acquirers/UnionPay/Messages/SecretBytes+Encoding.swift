import OrchardCrypto

extension SecretBytes {
    /// Adds bytes with all but the unreserved characters percent-encoded (RFC 3986 §2.1).
    mutating func appendPercentEncoded(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                append(byte)
            default:
                append(UInt8(ascii: "%"))
                append(Self.hexDigit(byte >> 4))
                append(Self.hexDigit(byte & 15))
            }
        }
    }

    /// Adds a secret's base64 (RFC 4648 §4) without a copy of either in unwiped memory.
    mutating func appendBase64(_ secret: borrowing SecretBytes) {
        secret.withBytes { bytes in
            for start in stride(from: 0, to: bytes.count, by: 3) {
                let group = bytes[start..<min(start + 3, bytes.count)]
                let bits = (0..<3).reduce(UInt32(0)) { bits, offset in
                    bits << 8 | (offset < group.count ? UInt32(group[start + offset]) : 0)
                }
                for digit in 0..<4 {
                    append(
                        digit <= group.count ? Self.base64Digit(bits >> UInt32(18 - 6 * digit) & 63) : UInt8(ascii: "=")
                    )
                }
            }
        }
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }

    private static func base64Digit(_ value: UInt32) -> UInt8 {
        switch UInt8(value) {
        case let value where value < 26: UInt8(ascii: "A") + value
        case let value where value < 52: UInt8(ascii: "a") + value - 26
        case let value where value < 62: UInt8(ascii: "0") + value - 52
        case 62: UInt8(ascii: "+")
        default: UInt8(ascii: "/")
        }
    }
}
