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
        let signer = issuer?.key ?? key
        let algorithm = SignatureAlgorithm.identifier(for: signer, digest: digest)
        let publicKey = try key.publicKey.subjectPublicKeyInfo
        let body = DER.sequence(
            DER.context(0, DER.integer([2])), template.serialNumber(), algorithm,
            issuer?.certificate.subject ?? template.name,
            DER.sequence(DER.time(template.validity.lowerBound), DER.time(template.validity.upperBound)),
            template.name, publicKey,
            template.extensions(subjectKey: publicKey, issuerKey: try signer.publicKey.subjectPublicKeyInfo))
        let signature = try signer.sign(body, digest: digest)
        return Identity(
            certificate: try Certificate(der: DER.sequence(body, algorithm, DER.bitString(signature))), key: key)
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
