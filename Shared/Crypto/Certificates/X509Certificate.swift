import COrchardOpenSSL

/// An X.509 certificate (RFC 5280), read once into values.
///
/// Reading proves nothing: see ``isSigned(by:)`` and ``CertificateChain``.
public final class X509Certificate: @unchecked Sendable {
    // @unchecked: the X509 does not change after it was read. `init` reads once everything that OpenSSL caches lazily.
    let pointer: OpaquePointer

    /// The certificate as it was given.
    public let der: [UInt8]
    /// The serial number in decimal digits.
    public let serialNumberDecimal: String
    /// The serial number as a DER INTEGER with its tag.
    public let serialNumberDER: [UInt8]
    /// Subject and issuer names in DER, as written in the certificate.
    public let subjectDER: [UInt8]
    public let issuerDER: [UInt8]
    public let subjectCommonName: String?
    /// The attribute 0.9.2342.19200300.100.1.1; Apple's certificates hold the merchant identifier there.
    public let subjectUserID: String?
    /// First and last second of validity, since 1970 UTC.
    public let notBefore: Int64
    public let notAfter: Int64
    public let publicKey: PublicKey
    /// Whether basicConstraints say that this certificate may issue others.
    public let isCA: Bool
    /// The keyUsage extension; nil when there is none.
    public let keyUsage: KeyUsage?

    /// Reads one certificate in DER with nothing after it.
    ///
    /// Refused before OpenSSL reads it: a certificate larger than 4 KB, with another key than P-256, P-384 or RSA of
    /// 2048 to 4096 bits, or with another unusual form that could cost time.
    public init(der: [UInt8]) throws(CryptoError) {
        // Everything that can fail comes before the X509 is owned: after a failure it would not be freed.
        publicKey = try Self.publicKey(CertificateForm(der))
        guard let pointer = DER.decode(der, { d2i_X509(nil, $0, $1) }, free: { X509_free($0) }) else {
            throw .openSSL(.certificate, "this is no certificate in DER")
        }
        self.pointer = pointer
        self.der = der
        let name = X509_get_subject_name(pointer)
        subjectDER = DER.encode { i2d_X509_NAME(name, $0) }
        issuerDER = DER.encode { i2d_X509_NAME(X509_get_issuer_name(pointer), $0) }
        subjectCommonName = Self.attribute(NID_commonName, of: name)
        subjectUserID = Self.attribute(NID_userId, of: name)
        let serial = X509_get0_serialNumber(pointer)
        serialNumberDER = DER.encode { i2d_ASN1_INTEGER(serial, $0) }
        serialNumberDecimal = Self.decimal(serial)
        notBefore = Self.seconds(X509_get0_notBefore(pointer))
        notAfter = Self.seconds(X509_get0_notAfter(pointer))
        let flags = X509_get_extension_flags(pointer)
        isCA = flags & UInt32(EXFLAG_CA) != 0
        keyUsage = flags & UInt32(EXFLAG_KUSAGE) != 0 ? KeyUsage(rawValue: X509_get_key_usage(pointer)) : nil
        ERR_clear_error()
    }

    /// Reads the first certificate of a PEM text from our own file.
    public convenience init(pem: String) throws(CryptoError) {
        guard let first = try Self.derBlocks(inPEM: Array(pem.utf8)).first else {
            throw CryptoError(.certificate, "the text has no certificate in PEM")
        }
        try self.init(der: first)
    }

    /// The DER in a PEM text from outside, which must be one certificate and nothing else.
    ///
    /// - Throws: ``CryptoError`` `.certificate` for another form. A text that is too long is not read.
    public static func der(ofSinglePEM text: [UInt8]) throws(CryptoError) -> [UInt8] {
        // Base64 uses four bytes for three; the rest is room for line ends and the two markers.
        guard text.count <= CertificateForm.maximumSize * 2 else {
            throw CryptoError(.certificate, "the text is longer than a certificate in PEM")
        }
        let blocks = try PEMBlocks(text[...], label: "CERTIFICATE")
        guard !blocks.hasOtherText, blocks.blocks.count == 1, let der = blocks.blocks.first else {
            throw CryptoError(.certificate, "the text is not exactly one certificate in PEM")
        }
        return der
    }

    /// Reads the certificate of a file, in DER or as the first one in PEM.
    public convenience init(file bytes: [UInt8]) throws(CryptoError) {
        if bytes.first == 0x30 {
            try self.init(der: bytes)
        } else {
            guard let first = try Self.derBlocks(inPEM: bytes).first else {
                throw CryptoError(.certificate, "this is no certificate, neither in DER nor in PEM")
            }
            try self.init(der: first)
        }
    }

    deinit {
        X509_free(pointer)
    }

    /// All certificates of a PEM text, in its order.
    public static func all(inPEM text: String) throws(CryptoError) -> [X509Certificate] {
        try all(inPEM: Array(text.utf8))
    }

    /// All certificates of a PEM text, in its order; other blocks are skipped.
    public static func all(inPEM text: [UInt8]) throws(CryptoError) -> [X509Certificate] {
        var all: [X509Certificate] = []
        for der in try derBlocks(inPEM: text) { all.append(try X509Certificate(der: der)) }
        return all
    }

    /// The certificate in PEM.
    public var pem: String { PEM.write { PEM_write_bio_X509($0, pointer) } }

    /// Whether `time`, seconds since 1970, is within the validity.
    public func isValid(at time: Int64) -> Bool {
        notBefore <= time && time <= notAfter
    }

    /// Whether the certificate has the issuer's name and signature. The issuer's validity and rights are not checked.
    public func isSigned(by issuer: X509Certificate) -> Bool {
        let isSigned = issuerDER == issuer.subjectDER && X509_verify(pointer, X509_get0_pubkey(issuer.pointer)) == 1
        if !isSigned { ERR_clear_error() }
        return isSigned
    }

    /// The DER content of the first extension with that object identifier, for example `1.2.840.113635.100.6.29`.
    public func extensionValue(oid: String) -> [UInt8]? {
        let object = OBJ_txt2obj(oid, 1)
        defer { ASN1_OBJECT_free(object) }
        let index = X509_get_ext_by_OBJ(pointer, object, -1)
        guard index >= 0, let data = X509_EXTENSION_get_data(X509_get_ext(pointer, index)) else { return nil }
        return Array(UnsafeBufferPointer(start: ASN1_STRING_get0_data(data), count: Int(ASN1_STRING_length(data))))
    }
}

/// What a certificate's key may do (RFC 5280 section 4.2.1.3), in OpenSSL's numbering.
public struct KeyUsage: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let digitalSignature = KeyUsage(rawValue: 0x80)
    public static let keyEncipherment = KeyUsage(rawValue: 0x20)
    public static let keyAgreement = KeyUsage(rawValue: 0x08)
    public static let keyCertSign = KeyUsage(rawValue: 0x04)
}
