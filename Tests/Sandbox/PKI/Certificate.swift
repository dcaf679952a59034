import COrchardOpenSSL

/// An X.509 certificate and the parts of it that signatures name.
public struct Certificate: Sendable {
    public let der: [UInt8]
    /// The subject's Name element.
    public let subject: [UInt8]
    /// The issuer's Name element.
    public let issuer: [UInt8]
    /// The serial number's INTEGER element.
    public let serialNumber: [UInt8]
    /// The serial number in decimal: ACP's certId.
    public let serialNumberDecimal: String
    public let publicKey: PublicKey

    public init(der: [UInt8]) throws(PKIError) {
        let x509 = try der.withUnsafeBufferPointer { bytes throws(PKIError) in
            var start = bytes.baseAddress
            return try require(d2i_X509(nil, &start, bytes.count), "d2i_X509")
        }
        defer { X509_free(x509) }
        self.der = der
        subject = try encoded { i2d_X509_NAME(X509_get_subject_name(x509), $0) }
        issuer = try encoded { i2d_X509_NAME(X509_get_issuer_name(x509), $0) }
        serialNumber = try encoded { i2d_ASN1_INTEGER(X509_get_serialNumber(x509), $0) }
        serialNumberDecimal = try decimal(X509_get_serialNumber(x509))
        publicKey = PublicKey(owning: try require(X509_get_pubkey(x509), "X509_get_pubkey"))
    }

    public init(pem: String) throws(PKIError) { try self.init(der: PEM.decode(pem)) }

    public var pem: String { PEM.encode("CERTIFICATE", der) }
}

private func decimal(_ number: UnsafeMutablePointer<ASN1_INTEGER>?) throws(PKIError) -> String {
    let big = try require(ASN1_INTEGER_to_BN(number, nil), "ASN1_INTEGER_to_BN")
    defer { BN_free(big) }
    let text = try require(BN_bn2dec(big), "BN_bn2dec")
    defer { CRYPTO_free(text, #fileID, #line) }
    return String(cString: text)
}
