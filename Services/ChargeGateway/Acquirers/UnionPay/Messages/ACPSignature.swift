import OrchardCrypto

/// The signature of ACP 5.1.0 with signMethod 01.
enum ACPSignature {
    /// What RSA with SHA-256 goes over: not the text, but the 64 lower-case hex digits of its SHA-256, so that it is
    /// hashed twice.
    static func message(over text: [UInt8]) -> [UInt8] { Array(Hex.encode(SHA256.hash(text)).utf8) }

    /// The order of fields in the string to sign: by the bytes of their names.
    static func comesFirst(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }

    /// Whether a byte may be in a field's name.
    static func isNameByte(_ byte: UInt8) -> Bool { isAlphanumeric(byte) || byte == UInt8(ascii: "_") }

    /// Letters and digits of ASCII: the `AN` of UnionPay's field formats.
    static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
