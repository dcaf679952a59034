import Foundation
import OrchardCrypto
import OrchardServiceKit

/// A private key and its certificate that `merchants.json` names: two files, or one of PKCS#12. An error names the file
/// that is wrong, and both files if both are.
public struct KeyPairFiles: Sendable {
    /// A file, and the member that names it.
    public struct Named: Sendable {
        let member: String
        let name: String

        public init(_ member: String, _ name: String) {
            self.member = member
            self.name = name
        }
    }

    private let key: Named
    private let certificate: Named?
    private let password: Named?
    private let folder: URL

    /// - Parameters:
    ///   - certificate: nil for a key without a certificate, and where PKCS#12 holds it.
    ///   - password: the file with the password of a key in PKCS#12.
    ///   - folder: from which relative names are taken.
    public init(key: Named, certificate: Named?, password: Named? = nil, in folder: URL) {
        self.key = key
        self.certificate = certificate
        self.password = password
        // A folder's address must end in a slash; without it, URLs treat it as a file.
        self.folder = URL(filePath: folder.path, directoryHint: .isDirectory)
    }

    /// Reads both files; the key also when the certificate is wrong.
    ///
    /// - Parameters:
    ///   - place: the entry that names them, for the error text.
    ///   - make: makes the key from its PEM and the certificate; nil when there is no readable certificate. Its error
    ///     belongs to the certificate with the code `.certificate`, to both files with `.mismatch`, else to the key.
    /// - Throws: ``ConfigurationError`` with the problem of each file.
    public func read<Value>(
        at place: String, _ make: (borrowing SecretBytes, X509Certificate?) throws(CryptoError) -> Value
    ) throws(ConfigurationError) -> Value {
        var problems: [ConfigurationError.Problem] = []
        let certificate = certificate.flatMap { named in
            problems.gather { () throws(ConfigurationError) in try readCertificate(named, place) }
        }
        let value = problems.gather { () throws(ConfigurationError) in
            let content = try readKey(place)
            let isBundle = content.withBytes { PKCS12.isForm(of: $0) }
            let password = try readPassword(place, isNeeded: isBundle)
            do throws(CryptoError) {
                guard isBundle else { return try make(content, certificate) }
                let material = try KeyMaterial(content, password: password)
                return try make(material.privateKeyPEM, certificate ?? material.certificates.first)
            } catch {
                throw ConfigurationError(problems: [problem(error, place)])
            }
        }
        guard let value, problems.isEmpty else { throw ConfigurationError(problems: problems) }
        return value
    }

    private func file(_ named: Named) -> KeyFile { KeyFile(URL(filePath: named.name, relativeTo: folder).path) }

    private func readKey(_ place: String) throws(ConfigurationError) -> SecretBytes {
        do throws(KeyFileError) {
            return try file(key).readPrivate()
        } catch {
            // Everyone may read a certificate, so the file is refused for its mode before its content is read.
            let isCertificate = error.code == .exposed && (try? readCertificate(key, place)) != nil
            let reason = isCertificate ? "\(key.name): \(Self.mixedUp)" : error.description
            throw ConfigurationError(problems: [.init(key: "\(place).\(key.member)", reason: reason)])
        }
    }

    private func readPassword(_ place: String, isNeeded: Bool) throws(ConfigurationError) -> SecretBytes {
        let problem: (member: String, reason: String)
        switch (password, isNeeded) {
        case (nil, false): return SecretBytes()
        case (let named?, true):
            do throws(KeyFileError) { return try file(named).readPassword() } catch {
                problem = (named.member, error.description)
            }
        case (nil, true): problem = ("passwordFile", "\(key.name) is PKCS#12; name the file with its password")
        case (let named?, false): problem = (named.member, "\(key.name) is not PKCS#12 and needs no password")
        }
        throw ConfigurationError(problems: [.init(key: "\(place).\(problem.member)", reason: problem.reason)])
    }

    private static let mixedUp = "is a certificate, not a private key; are two files mixed up?"

    private func readCertificate(_ named: Named, _ place: String) throws(ConfigurationError) -> X509Certificate {
        let reason: String
        do {
            guard let bytes = try file(named).read() else {
                throw KeyFileError(.missing, file(named).path, "does not exist")
            }
            // Apple issues certificates in DER; tools prefer PEM.
            return try X509Certificate(file: bytes)
        } catch {
            reason = (error as? CryptoError).map { "\(named.name): \($0.reason)" } ?? "\(error)"
        }
        throw ConfigurationError(problems: [.init(key: "\(place).\(named.member)", reason: reason)])
    }

    private func problem(_ error: CryptoError, _ place: String) -> ConfigurationError.Problem {
        switch (error.code, certificate) {
        case (.certificate, let named?):
            .init(key: "\(place).\(named.member)", reason: "\(named.name): \(error.reason)")
        case (.mismatch, let named?):
            .init(key: place, reason: "\(key.name) and \(named.name): \(error.reason)")
        default:
            .init(key: "\(place).\(key.member)", reason: "\(key.name): \(error.reason)")
        }
    }
}
