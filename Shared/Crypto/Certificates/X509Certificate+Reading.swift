import COrchardOpenSSL

extension X509Certificate {
    static func attribute(_ nid: Int32, of name: OpaquePointer?) -> String? {
        let index = X509_NAME_get_index_by_NID(name, nid, -1)
        guard index >= 0 else { return nil }
        var text: UnsafeMutablePointer<UInt8>?
        let count = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, index)))
        guard count >= 0 else { return nil }
        defer { orchard_free(text) }
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

    static func publicKey(of certificate: OpaquePointer) -> PublicKey {
        let info = DER.encode { i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), $0) }
        if let key = try? P256PublicKey(subjectPublicKeyInfo: info) { return .p256(key) }
        if let key = try? RSAPublicKey(subjectPublicKeyInfo: info) { return .rsa(key) }
        return .other
    }

    /// The certificates of a PEM text in DER; blocks of other kinds are passed over.
    static func derBlocks(inPEM text: String) throws(CryptoError) -> [[UInt8]] {
        let (blocks, isComplete) = PEM.read(text) { bio in
            var blocks: [[UInt8]] = []
            while let certificate = PEM_read_bio_X509(bio, nil, nil, nil) {
                blocks.append(DER.encode { i2d_X509(certificate, $0) })
                X509_free(certificate)
            }
            // OpenSSL ends the loop with "no start line" when it has read everything.
            let reason = ERR_peek_last_error() & 0x7F_FFFF
            return (blocks, reason == UInt(PEM_R_NO_START_LINE))
        }
        guard isComplete else { throw .openSSL(.certificate, "the text has a broken certificate in PEM") }
        ERR_clear_error()
        return blocks
    }
}
