import COrchardOpenSSL

/// A private key in PKCS#8 (RFC 5208), whose form is checked before OpenSSL reads it.
public enum PrivateKeyInfo {
    /// The key of a DER file in PEM, as secret as the key.
    public static func pem(der: [UInt8]) throws(CryptoError) -> SecretBytes {
        try key(der[...]).pem
    }

    /// An RSA key of 4096 bits has 2.4 KB.
    private static let maximumSize = 4_096

    /// AlgorithmIdentifier of a key on P-256, and of RSA.
    private static let algorithms: [[UInt8]] = [
        [
            0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D,
            0x03, 0x01, 0x07,
        ],
        [0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00],
    ]

    /// The key of exactly these bytes.
    static func key(_ der: ArraySlice<UInt8>) throws(CryptoError) -> KeyHandle {
        var outer = DERCursor(der)
        guard der.count <= maximumSize, var fields = outer.last(DERTag.sequence)?.children,
            fields.next(DERTag.integer)?.smallNumber == 0, let algorithm = fields.next(DERTag.sequence)?.encoding,
            fields.next(DERTag.octetString) != nil
        else { throw CryptoError(.key, "this is no private key in PKCS#8") }
        guard algorithms.contains(where: algorithm.elementsEqual) else {
            throw CryptoError(.key, "the private key is neither on P-256 nor RSA")
        }
        // A copy of a part of wiped bytes must be wiped as well.
        let copy = SecretBytes(copying: der)
        let pointer = copy.withBytes { bytes in
            DER.decode(bytes, { d2i_AutoPrivateKey(nil, $0, $1) }, free: { EVP_PKEY_free($0) })
        }
        guard let handle = KeyHandle(owning: pointer) else {
            throw .openSSL(.key, "this is no private key in PKCS#8")
        }
        return handle
    }
}
