/// An object identifier by its DER content.
struct ObjectIdentifier: Hashable, Sendable {
    let content: [UInt8]

    /// PKCS#7 and CMS content types, 1.2.840.113549.1.7.1 and .2.
    static let data = ObjectIdentifier(pkcs: [0x07, 0x01])
    static let signedData = ObjectIdentifier(pkcs: [0x07, 0x02])
    /// Attributes, 1.2.840.113549.1.9.3, .4, .5 and .52 (RFC 5652, RFC 6211).
    static let contentType = ObjectIdentifier(pkcs: [0x09, 0x03])
    static let messageDigest = ObjectIdentifier(pkcs: [0x09, 0x04])
    static let signingTime = ObjectIdentifier(pkcs: [0x09, 0x05])
    static let algorithmProtection = ObjectIdentifier(pkcs: [0x09, 0x34])
    /// sha256WithRSAEncryption, 1.2.840.113549.1.1.11.
    static let rsaSHA256 = ObjectIdentifier(pkcs: [0x01, 0x0B])
    /// ecdsa-with-SHA256, 1.2.840.10045.4.3.2.
    static let ecdsaSHA256 = ObjectIdentifier(content: [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02])
    /// SHA-256, 2.16.840.1.101.3.4.2.1.
    static let sha256 = ObjectIdentifier(content: [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01])

    init(content: [UInt8]) {
        self.content = content
    }

    /// Below 1.2.840.113549.1.
    private init(pkcs arcs: [UInt8]) {
        content = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01] + arcs
    }
}
