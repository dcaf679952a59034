/// The forms of public keys from outside that OpenSSL may read, recognised by their bytes alone (SubjectPublicKeyInfo,
/// RFC 5280).
///
/// Everything else is refused before OpenSSL reads it: with explicit curve parameters, compressed points, other curves
/// and large exponents the sender chooses how long OpenSSL computes (a second for one key of 200 bytes).
enum PublicKeyForm: Equatable {
    /// An uncompressed point on the named curve.
    case p256
    case p384
    /// A modulus of 2048 to 4096 bits with the exponent 65537.
    case rsa

    /// SubjectPublicKeyInfo of every uncompressed P-384 key up to the coordinates (RFC 5480); 120 bytes with them.
    private static let p384Prefix: [UInt8] = [
        0x30, 0x76, 0x30, 0x10, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x05, 0x2B, 0x81, 0x04,
        0x00, 0x22, 0x03, 0x62, 0x00, 0x04,
    ]
    /// AlgorithmIdentifier of rsaEncryption with NULL (RFC 3279).
    private static let rsaEncryption: [UInt8] = [
        0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
    ]
    /// 65537 as a DER INTEGER.
    private static let exponent: [UInt8] = [0x02, 0x03, 0x01, 0x00, 0x01]

    /// The form of a key; nil for a key that is not used here.
    init?(subjectPublicKeyInfo info: ArraySlice<UInt8>) {
        if info.count == 91, info.starts(with: P256PublicKey.infoPrefix + [0x04]) {
            self = .p256
        } else if info.count == 120, info.starts(with: Self.p384Prefix) {
            self = .p384
        } else if Self.isRSA(info) {
            self = .rsa
        } else {
            return nil
        }
    }

    private static func isRSA(_ info: ArraySlice<UInt8>) -> Bool {
        var outer = DERCursor(info)
        guard var fields = outer.last(DERTag.sequence)?.children,
            fields.next(DERTag.sequence)?.encoding.elementsEqual(rsaEncryption) == true,
            let bits = fields.last(DERTag.bitString)?.content, bits.first == 0
        else { return false }
        var key = DERCursor(bits.dropFirst())
        guard var numbers = key.last(DERTag.sequence)?.children,
            let modulus = numbers.next(DERTag.integer)?.content,
            numbers.last(DERTag.integer)?.encoding.elementsEqual(exponent) == true
        else { return false }
        // A positive INTEGER whose top bit is set begins with one zero byte.
        let digits = modulus.first == 0 ? modulus.dropFirst() : modulus
        guard let top = digits.first, let low = digits.last, top > 0, low & 1 == 1 else { return false }
        guard (modulus.count > digits.count) == (top >= 0x80) else { return false }
        return (2048...4096).contains(digits.count * 8 - top.leadingZeroBitCount)
    }
}
