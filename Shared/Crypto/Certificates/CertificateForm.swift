/// The form that a certificate must have before OpenSSL reads it (RFC 5280 section 4.1), checked on its bytes.
///
/// OpenSSL decodes keys, numbers and extensions in the order it finds them. Some forms cost a second of computing; the
/// certificates of Apple, UnionPay and our own have none of them.
struct CertificateForm {
    /// The certificates in use have up to 2 KB.
    static let maximumSize = 4_096

    /// A serial number has at most 20 bytes (RFC 5280 section 4.1.2.2), and a zero before them.
    private static let maximumSerialNumber = 21
    private static let maximumName = 1_024
    private static let maximumExtensions = 32

    /// ECDSA and RSA (PKCS#1 v1.5) as named in certificates; without PSS, which has its own parameters.
    private static let signatureAlgorithms: [[UInt8]] =
        [0x02, 0x03, 0x04].map { [0x30, 0x0A, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, $0] }
        + [0x05, 0x0B, 0x0C, 0x0D].map {
            [0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, $0, 0x05, 0x00]
        }

    let publicKey: PublicKeyForm
    let subjectPublicKeyInfo: [UInt8]

    /// - Throws: ``CryptoError`` `.certificate` that says what is unusual.
    init(_ der: [UInt8]) throws(CryptoError) {
        guard der.count <= Self.maximumSize else {
            throw CryptoError(.certificate, "the certificate has more than \(Self.maximumSize) bytes")
        }
        var outer = DERCursor(der[...])
        guard var certificate = outer.last(DERTag.sequence)?.children,
            var fields = certificate.next(DERTag.sequence)?.children,
            let algorithm = certificate.next(DERTag.sequence)?.encoding,
            certificate.last(DERTag.bitString) != nil
        else { throw Self.notDER }
        guard Self.signatureAlgorithms.contains(where: algorithm.elementsEqual) else {
            throw CryptoError(.certificate, "the certificate is signed in another way than ECDSA or RSA with SHA")
        }

        if fields.nextTag == DERTag.context0, fields.next(DERTag.context0) == nil { throw Self.notDER }
        guard let serial = fields.next(DERTag.integer)?.content, let inner = fields.next(DERTag.sequence)?.encoding,
            let issuer = fields.next(DERTag.sequence), fields.next(DERTag.sequence) != nil,
            let subject = fields.next(DERTag.sequence), let key = fields.next(DERTag.sequence)?.encoding
        else { throw Self.notDER }
        guard inner == algorithm else {
            throw CryptoError(.certificate, "the certificate names two algorithms for its signature")
        }
        guard serial.count <= Self.maximumSerialNumber else {
            throw CryptoError(.certificate, "the certificate's serial number has more than 20 bytes")
        }
        guard max(issuer.content.count, subject.content.count) <= Self.maximumName else {
            throw CryptoError(.certificate, "a name in the certificate has more than \(Self.maximumName) bytes")
        }
        guard let publicKey = PublicKeyForm(subjectPublicKeyInfo: key) else {
            throw CryptoError(
                .certificate,
                "the certificate's key is neither an uncompressed point on P-256 or P-384 nor RSA of 2048 to 4096 bits"
            )
        }
        try Self.requireFewExtensions(&fields)
        self.publicKey = publicKey
        subjectPublicKeyInfo = Array(key)
    }

    private static var notDER: CryptoError { CryptoError(.certificate, "this is no certificate in DER") }

    private static func requireFewExtensions(_ fields: inout DERCursor) throws(CryptoError) {
        if fields.isAtEnd { return }
        guard var list = fields.last(DERTag.context3)?.children, var extensions = list.last(DERTag.sequence)?.children
        else { throw notDER }
        var count = 0
        while !extensions.isAtEnd {
            guard extensions.next(DERTag.sequence) != nil else { throw notDER }
            count += 1
            guard count <= maximumExtensions else {
                throw CryptoError(.certificate, "the certificate has more than \(maximumExtensions) extensions")
            }
        }
    }
}
