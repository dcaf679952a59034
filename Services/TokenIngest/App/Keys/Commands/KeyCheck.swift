import ApplePayToken
import Contracts
import KeyFiles
import OrchardCrypto

/// Reads files in any order, and puts each private key together with its certificate.
struct KeyCheck {
    let reports: [KeyReport]

    /// A key or a certificate, and the file that it is from.
    private struct Found<Value> {
        let file: String
        let value: Value
    }

    /// - Parameters:
    ///   - password: of the PKCS#12 files.
    ///   - merchants: nil when no merchants.json was named.
    init(paths: [String], password: KeyFile?, merchants: KnownKeys?, at time: Timestamp) {
        var (reports, keys, certificates) = ([KeyReport](), [Found<PublicKey>](), [Found<X509Certificate>]())
        var exposed: [String: String] = [:]
        for path in paths {
            do {
                let file = KeyFile(path)
                let material = try Self.read(file, password)
                if !material.privateKeyPEM.isEmpty {
                    keys.append(Found(file: path, value: try Self.publicKey(material.privateKeyPEM)))
                    do { try file.requirePrivate() } catch { exposed[path] = error.description }
                }
                certificates += material.certificates.map { Found(file: path, value: $0) }
            } catch {
                let reason = (error as? CryptoError)?.reason ?? (error as? KeyFileError)?.reason ?? "\(error)"
                reports.append(KeyReport(title: path, problems: [reason]))
            }
        }
        let lone = !keys.isEmpty && !certificates.isEmpty
        for key in keys {
            let index = certificates.firstIndex { Self.belong(key.value, $0.value.publicKey) }
            let certificate = index.map { certificates.remove(at: $0) }
            var report = KeyReport(
                title: [key.file, certificate?.file].compactMap(\.self).uniqued().joined(separator: ", "),
                key: key.value, certificate: certificate?.value, at: time.seconds)
            if certificate != nil {
                report.add("private key", "belongs to the certificate")
            } else {
                report.add(
                    problem: lone
                        ? "the private key belongs to none of the certificates; are files of two keys mixed up?"
                        : "the certificate is missing; name the one that Apple made for this key too")
            }
            if let problem = exposed[key.file] { report.add(problem: problem) }
            merchants?.describe(key.value, certificate?.value, in: &report)
            reports.append(report)
        }
        for certificate in certificates {
            var report = KeyReport(
                title: certificate.file, key: nil, certificate: certificate.value, at: time.seconds)
            merchants?.describe(certificate.value.publicKey, certificate.value, in: &report)
            reports.append(report)
        }
        self.reports = reports
    }

    private static func read(_ file: KeyFile, _ password: KeyFile?) throws -> KeyMaterial {
        let content = try file.readUnchecked()
        guard content.withBytes({ PKCS12.isForm(of: $0) }) else {
            return try KeyMaterial(content, password: SecretBytes())
        }
        guard let password else {
            throw CryptoError(.input, "PKCS#12 has a password; give the file that has it with --password-file")
        }
        return try KeyMaterial(content, password: password.readPassword())
    }

    private static func publicKey(_ pem: borrowing SecretBytes) throws(CryptoError) -> PublicKey {
        if let key = try? P256PrivateKey(pem: pem) { return .p256(key.publicKey) }
        return .rsa(try RSAPrivateKey(pem: pem).publicKey)
    }

    private static func belong(_ key: PublicKey, _ other: PublicKey) -> Bool {
        key.subjectPublicKeyInfo != nil && key.subjectPublicKeyInfo == other.subjectPublicKeyInfo
    }
}

extension [String] {
    /// Without the repeats of neighbours.
    fileprivate func uniqued() -> [String] { reduce(into: []) { if $0.last != $1 { $0.append($1) } } }
}
