public import OrchardCrypto

/// A certificate with its private key, which a client shows to a server that asks for it (mutual TLS).
///
/// Both are in memory: what was checked when they were read is what is shown, whatever becomes of the files.
public final class ClientIdentity: Sendable {
    public let certificate: X509Certificate
    /// The key in PEM; wiped with the last reference.
    let privateKeyPEM: SecretBytes

    /// - Parameter privateKeyPEM: the key of `certificate`, not encrypted. Whether they belong together is for the caller
    ///   to check.
    public init(certificate: X509Certificate, privateKeyPEM: consuming SecretBytes) {
        self.certificate = certificate
        self.privateKeyPEM = privateKeyPEM
    }
}

extension ClientIdentity: Hashable {
    /// Whether both show the same certificate.
    public static func == (left: ClientIdentity, right: ClientIdentity) -> Bool {
        left.certificate.der == right.certificate.der
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(certificate.der) }
}
