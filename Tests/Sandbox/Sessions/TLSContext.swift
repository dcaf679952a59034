import COrchardTLS
import SandboxPKI

/// What a TLS server needs: its own certificate, and the authority whose clients it takes.
///
/// @unchecked Sendable: an `SSL_CTX` is not changed after `init`, and OpenSSL lets threads share it.
final class TLSContext: @unchecked Sendable {
    let pointer: OpaquePointer

    /// - Parameters:
    ///   - server: the server's certificate and key.
    ///   - clients: the authority that issued the certificates of all clients; one without is refused.
    init(server: Identity, clients: Certificate) throws {
        guard let context = SSL_CTX_new(TLS_server_method()) else { throw TLSError("SSL_CTX_new") }
        pointer = context
        let pem = try server.key.pem
        let bio = BIO_new_mem_buf(pem, Int32(pem.utf8.count))
        defer { BIO_free(bio) }
        let key = PEM_read_bio_PrivateKey(bio, nil, nil, nil)
        defer { EVP_PKEY_free(key) }
        let der = server.certificate.der
        guard SSL_CTX_use_certificate_ASN1(context, Int32(der.count), der) == 1,
            SSL_CTX_use_PrivateKey(context, key) == 1
        else { throw TLSError("the server's certificate or key") }
        let authority = clients.der.withUnsafeBufferPointer { bytes in
            var start = bytes.baseAddress
            return d2i_X509(nil, &start, bytes.count)
        }
        defer { X509_free(authority) }
        let store = SSL_CTX_get_cert_store(context)
        guard X509_STORE_add_cert(store, authority) == 1,
            X509_STORE_set_flags(store, UInt(X509_V_FLAG_PARTIAL_CHAIN)) == 1,
            // Sessions may be resumed, as Apple's servers allow: no identity may get another's.
            SSL_CTX_set_session_id_context(context, [1], 1) == 1
        else { throw TLSError("the clients' authority") }
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
    }

    deinit { SSL_CTX_free(pointer) }
}

/// A call of OpenSSL failed.
struct TLSError: Error, CustomStringConvertible {
    let description: String

    init(_ what: String) { description = "TLS: \(what)" }
}
