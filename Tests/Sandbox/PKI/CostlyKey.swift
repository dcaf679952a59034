/// Public keys that are far more costly to read or use than a plain one: SubjectPublicKeyInfo in DER.
public enum CostlyKey {
    /// A curve of its own over a prime of 660 bits, 0x800CD · 2^640 + 1, with compressed points: each needs a square
    /// root, which costs the square of 640 multiplications (BN_mod_sqrt).
    public static let explicitParameters: [UInt8] = {
        let prime = [0x08, 0x00, 0xCD] + [UInt8](repeating: 0, count: 79) + [1]
        // y² = x³ + x + 1 has a point at x = 2.
        let point = [0x02] + [UInt8](repeating: 0, count: 82) + [2]
        let parameters = DER.sequence(
            DER.integer([1]),
            DER.sequence(DER.objectIdentifier("1.2.840.10045.1.1"), DER.integer(prime)),
            DER.sequence(DER.octetString([1]), DER.octetString([1])), DER.octetString(point), DER.integer(prime),
            DER.integer([1]))
        return DER.sequence(
            DER.sequence(DER.objectIdentifier("1.2.840.10045.2.1"), parameters), DER.bitString(point))
    }()

    /// A modulus of 3072 bits, which is no product of primes, and an exponent of as many.
    public static let hugeExponent = rsa(modulusBytes: 384, exponent: [UInt8](repeating: 0xFF, count: 383) + [0xFD])

    /// The largest modulus that OpenSSL accepts, 16384 bits.
    public static let hugeModulus = rsa(modulusBytes: 2_048, exponent: [1, 0, 1])

    private static func rsa(modulusBytes: Int, exponent: [UInt8]) -> [UInt8] {
        let modulus = [0xC3] + [UInt8](repeating: 0x5A, count: modulusBytes - 2) + [0x69]
        return DER.sequence(
            DER.sequence(DER.objectIdentifier("1.2.840.113549.1.1.1"), DER.null),
            DER.bitString(DER.sequence(DER.integer(modulus), DER.integer(exponent))))
    }

    /// P-256 with its parameters written out instead of its name: nothing but unusual.
    public static func explicitP256(point: [UInt8]) -> [UInt8] {
        func bytes(_ hexadecimal: String) -> [UInt8] { Hexadecimal.decode(hexadecimal) ?? [] }
        let parameters = DER.sequence(
            DER.integer([1]),
            DER.sequence(
                DER.objectIdentifier("1.2.840.10045.1.1"),
                DER.integer(bytes("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff"))),
            DER.sequence(
                DER.octetString(bytes("ffffffff00000001000000000000000000000000fffffffffffffffffffffffc")),
                DER.octetString(bytes("5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b"))),
            DER.octetString(
                bytes(
                    "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
                        + "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5")),
            DER.integer(bytes("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")), DER.integer([1]))
        return DER.sequence(
            DER.sequence(DER.objectIdentifier("1.2.840.10045.2.1"), parameters), DER.bitString(point))
    }
}
