import COrchardTLS
import Foundation
import OrchardServiceKit

/// The TLS identity and rules of a port: TLS 1.2 and 1.3, ciphers that authenticate and keep earlier traffic secret, no
/// renegotiation, no compression, ALPN `http/1.1`.
///
/// @unchecked Sendable: an `SSL_CTX` is not changed after `init`, and OpenSSL lets threads share it.
public final class TLSContext: @unchecked Sendable {
    let pointer: OpaquePointer
    /// The last second of the server's certificate, since 1970.
    public let notAfter: Int64

    /// The ciphers of TLS 1.2; those of 1.3 are all good.
    private static let ciphers = "ECDHE+AESGCM:ECDHE+CHACHA20"
    private static let groups = "X25519:P-256:P-384"

    /// - Throws: `ConfigurationError` with the keys `tls.certificate`, `tls.key` and `tls.clients`.
    public init(_ files: TLSFiles) throws(ConfigurationError) {
        // OpenSSL writes without MSG_NOSIGNAL: a client that has left would end a process that runs no service group.
        signal(SIGPIPE, SIG_IGN)
        ERR_clear_error()
        guard let context = SSL_CTX_new(TLS_server_method()) else {
            throw Self.problem("certificate", "OpenSSL has no memory for a TLS context")
        }
        do throws(ConfigurationError) {
            try Self.set(context, files)
            notAfter = try Self.end(context, files)
        } catch {
            SSL_CTX_free(context)
            throw error
        }
        pointer = context
    }

    deinit { SSL_CTX_free(pointer) }

    private static func set(_ context: OpaquePointer, _ files: TLSFiles) throws(ConfigurationError) {
        guard orchard_tls_from_1_2(context) == 1, SSL_CTX_set_cipher_list(context, ciphers) == 1,
            orchard_tls_groups(context, groups) == 1
        else { throw problem("certificate", "this OpenSSL lacks the ciphers that Orchard asks for") }
        SSL_CTX_set_options(context, orchard_tls_options)
        orchard_tls_modes(context)
        orchard_tls_keep_no_sessions(context)
        // Sessions are resumed from tickets, within this context only: no client skips the check of its certificate.
        SSL_CTX_set_session_id_context(context, [1], 1)
        SSL_CTX_set_alpn_select_cb(context, chooseProtocol, nil)
        // A key with a password would ask for it on the terminal.
        SSL_CTX_set_default_passwd_cb(context) { _, _, _, _ in -1 }
        guard SSL_CTX_use_certificate_chain_file(context, files.certificate) == 1 else {
            throw problem("certificate", "\(files.certificate) holds no certificate in PEM")
        }
        try checkAccess(files.key)
        // OpenSSL takes a key of another kind, as RSA for a certificate with an elliptic curve, beside the certificate.
        guard SSL_CTX_use_PrivateKey_file(context, files.key, SSL_FILETYPE_PEM) == 1,
            SSL_CTX_check_private_key(context) == 1
        else {
            throw problem(
                "key",
                "\(files.key) holds no private key in PEM without a password that belongs to \(files.certificate)")
        }
        guard let clients = files.clients else { return }
        guard SSL_CTX_load_verify_file(context, clients) == 1, let names = SSL_load_client_CA_file(clients) else {
            throw problem("clients", "\(clients) holds no certificate in PEM")
        }
        SSL_CTX_set_client_CA_list(context, names)
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
    }

    private static func checkAccess(_ key: String) throws(ConfigurationError) {
        var status = stat()
        guard stat(key, &status) == 0 else { throw problem("key", "\(key) does not exist") }
        if let exposure = PrivateFile.exposure(of: status) {
            throw problem("key", "\(key) \(exposure); run: chmod 600 \(key)")
        }
    }

    private static func end(_ context: OpaquePointer, _ files: TLSFiles) throws(ConfigurationError) -> Int64 {
        var time = tm()
        guard let certificate = SSL_CTX_get0_certificate(context), let end = X509_get0_notAfter(certificate),
            ASN1_TIME_to_tm(end, &time) == 1
        else { throw problem("certificate", "\(files.certificate) has no end that can be read") }
        return Int64(timegm(&time))
    }

    private static func problem(_ member: String, _ reason: String) -> ConfigurationError {
        ERR_clear_error()
        return ConfigurationError(problems: [.init(key: "tls.\(member)", reason: reason)])
    }
}

/// Chooses `http/1.1` where the client names protocols, and ends the handshake where it names only others (RFC 7301).
private func chooseProtocol(
    _: OpaquePointer?, _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, _ length: UnsafeMutablePointer<UInt8>?,
    _ offered: UnsafePointer<UInt8>?, _ count: UInt32, _: UnsafeMutableRawPointer?
) -> Int32 {
    // Unsafe: `offered` has `count` bytes, each name with its length before it, and outlives the handshake's answer.
    let names = UnsafeBufferPointer(start: offered, count: Int(count))
    var start = 0
    while start < names.count {
        let end = start + 1 + Int(names[start])
        guard end <= names.count else { break }
        if names[(start + 1)..<end].elementsEqual("http/1.1".utf8) {
            chosen?.pointee = offered?.advanced(by: start + 1)
            length?.pointee = names[start]
            return SSL_TLSEXT_ERR_OK
        }
        start = end
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL
}
