extension SecretBytes {
    /// The bytes in padded base64 (RFC 4648 section 4), wiped like the bytes themselves.
    public borrowing func base64() -> SecretBytes {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var text = SecretBytes()
        withBytes { bytes in
            for start in stride(from: 0, to: bytes.count, by: 3) {
                let group = bytes[start..<min(start + 3, bytes.count)]
                var bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
                bits <<= UInt32(8 * (3 - group.count))
                for index in 0...group.count { text.append(alphabet[Int(bits >> UInt32(18 - 6 * index)) & 63]) }
                for _ in group.count..<3 { text.append(UInt8(ascii: "=")) }
            }
        }
        return text
    }

    /// The bytes in lower-case hexadecimal, wiped like the bytes themselves.
    public borrowing func hex() -> SecretBytes {
        let digits = Array("0123456789abcdef".utf8)
        var text = SecretBytes()
        withBytes { bytes in
            for byte in bytes {
                text.append(digits[Int(byte >> 4)])
                text.append(digits[Int(byte & 15)])
            }
        }
        return text
    }
}
