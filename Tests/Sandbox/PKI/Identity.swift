import Foundation

/// A certificate with its private key.
public struct Identity: Sendable {
    public let certificate: Certificate
    public let key: PrivateKey

    public init(certificate: Certificate, key: PrivateKey) {
        self.certificate = certificate
        self.key = key
    }

    /// Issues a certificate over `key`, self-signed where there is no issuer.
    public static func issue(
        _ template: CertificateTemplate, key: PrivateKey, by issuer: Identity? = nil, digest: Digest = .sha256
    ) throws(PKIError) -> Identity {
        let der = try template.certificate(
            over: key.publicKey.subjectPublicKeyInfo, signedBy: issuer?.key ?? key,
            issuer: issuer?.certificate.subject ?? template.name, digest: digest)
        return Identity(certificate: try Certificate(der: der), key: key)
    }

    /// Writes two PEM files; only the owner may read the key.
    public func save(certificate certificateFile: URL, key keyFile: URL) throws {
        let folder = certificateFile.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(certificate.pem.utf8).write(to: certificateFile)
        let made = FileManager.default.createFile(
            atPath: keyFile.path, contents: Data(try key.pem.utf8), attributes: [.posixPermissions: 0o600])
        guard made else { throw CocoaError(.fileWriteUnknown) }
    }

    /// Reads what ``save(certificate:key:)`` wrote.
    public static func load(certificate certificateFile: URL, key keyFile: URL) throws -> Identity {
        Identity(
            certificate: try Certificate(pem: String(contentsOf: certificateFile, encoding: .utf8)),
            key: try PrivateKey(pem: String(contentsOf: keyFile, encoding: .utf8)))
    }
}
