import COrchardOpenSSL

extension X509Certificate {
    static func attribute(_ nid: Int32, of name: OpaquePointer?) -> String? {
        let index = X509_NAME_get_index_by_NID(name, nid, -1)
        guard index >= 0 else { return nil }
        var text: UnsafeMutablePointer<UInt8>?
        let count = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, index)))
        guard count >= 0 else { return nil }
        defer { orchard_free(text) }
        // X.520 allows 64 characters; a long name of combining marks would make each comparison slow.
        guard count <= 256 else { return nil }
        return String(validating: UnsafeBufferPointer(start: text, count: Int(count)), as: UTF8.self)
    }

    static func decimal(_ serial: UnsafePointer<ASN1_INTEGER>?) -> String {
        let number = ASN1_INTEGER_to_BN(serial, nil)
        defer { BN_free(number) }
        guard let text = BN_bn2dec(number) else { return "" }
        defer { orchard_free(text) }
        return String(cString: text)
    }

    /// Seconds since 1970; a time that cannot be read is before all validity.
    static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64 {
        let epoch = ASN1_TIME_set(nil, 0)
        defer { ASN1_TIME_free(epoch) }
        var days: Int32 = 0
        var seconds: Int32 = 0
        guard ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else { return .min }
        return Int64(days) * 86_400 + Int64(seconds)
    }

    /// The key, by the form that was checked before OpenSSL read it.
    static func publicKey(_ form: CertificateForm) throws(CryptoError) -> PublicKey {
        switch form.publicKey {
        case .p256: .p256(try P256PublicKey(subjectPublicKeyInfo: form.subjectPublicKeyInfo))
        case .rsa: .rsa(try RSAPublicKey(subjectPublicKeyInfo: form.subjectPublicKeyInfo))
        case .p384: .other
        }
    }

    /// The certificates of a PEM text in DER; text between them is skipped.
    static func derBlocks(inPEM text: [UInt8]) throws(CryptoError) -> [[UInt8]] {
        try PEMBlocks(text[...], label: "CERTIFICATE").blocks
    }
}
