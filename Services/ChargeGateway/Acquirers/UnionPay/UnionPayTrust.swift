import Contracts
import Foundation
import KeyFiles
import OrchardCrypto
import OrchardServiceKit

/// Tells UnionPay's signatures from everybody else's.
///
/// A message of ACP 5.1.0 brings its own certificate, so that the certificate is judged before the signature: it must
/// lead to the configured root, be valid and be UnionPay's by name. Else anyone could sign "paid".
final class UnionPayTrust: Sendable {
    /// The third part of the common name of UnionPay's signing certificates, between `@`.
    static let owner = "中国银联股份有限公司"
    /// UnionPay signs with one certificate, and two in the month of a change; a flood of others is not kept.
    static let cacheLimit = 16

    private let chain: CertificateChain
    private let middle: [X509Certificate]
    /// By the SHA-256 of the certificate's DER. Only what was verified is here.
    private let verified = Locked(RecentlyUsed<TrustedCertificate>(capacity: cacheLimit))

    init(root: X509Certificate, middle: [X509Certificate]) {
        chain = CertificateChain(root: root)
        self.middle = middle
    }

    /// Verifies a message.
    ///
    /// - Throws: the reason not to believe it; nothing of it may be used then.
    func verify(_ message: ACPMessage, at time: Timestamp) throws(NotificationError) {
        guard message.has("version", "5.1.0"), message.has("signMethod", "01"),
            message.has("encoding", "UTF-8") || message.has("encoding", "utf-8"),
            let certificate = message.bytes("signPubKeyCert"),
            let signature = message.bytes("signature")
        else { throw NotificationError(.malformed, "the message is not one of ACP 5.1.0, signed by RSA") }
        let key = try key(of: certificate, at: time.seconds)
        guard let signature = Base64.decode(utf8: signature),
            key.verifyPKCS1SHA256(signature: signature, message: ACPSignature.message(over: message.signedText))
        else { throw NotificationError(.signature, "the signature is not right for the message") }
    }

    /// The certificates that are kept.
    var cachedCertificates: Int { verified.withLock { $0.count } }

    private func key(of text: [UInt8], at time: Int64) throws(NotificationError) -> RSAPublicKey {
        let der: [UInt8]
        do throws(CryptoError) { der = try X509Certificate.der(ofSinglePEM: text) } catch { throw .unreadable(error) }
        let hash = SHA256.hash(der)
        if let known = verified.withLock({ $0.use(hash) }), known.validity.contains(time) { return known.key }
        let trusted = try validate(der, at: time)
        verified.withLock { $0.keep(trusted, for: hash) }
        return trusted.key
    }

    private func validate(_ der: [UInt8], at time: Int64) throws(NotificationError) -> TrustedCertificate {
        let leaf: X509Certificate
        do throws(CryptoError) { leaf = try X509Certificate(der: der) } catch { throw .unreadable(error) }
        guard leaf.isValid(at: time) else {
            throw NotificationError(.expiredCertificate, "the message's certificate is not valid at this time")
        }
        // One computation with a key of ours tells a stranger's certificate before a path is looked for.
        guard (middle + [chain.root]).contains(where: leaf.isSigned(by:)) else {
            throw NotificationError(
                .untrustedCertificate, "the message's certificate does not lead to the configured root")
        }
        do throws(CryptoError) {
            try chain.verify(leaf, intermediates: middle, at: time)
        } catch {
            throw NotificationError(
                .untrustedCertificate, "the message's certificate does not lead to the configured root: \(error.reason)"
            )
        }
        guard leaf.subjectCommonName.map(Self.owner(of:)) == Self.owner else {
            throw NotificationError(.foreignCertificate, "the message's certificate is not UnionPay's")
        }
        guard case .rsa(let key) = leaf.publicKey, key.bits >= 2048 else {
            throw NotificationError(.untrustedCertificate, "the message's certificate has no RSA key of 2048 bits")
        }
        let all = [leaf, chain.root] + middle
        let begin = all.map(\.notBefore).max() ?? leaf.notBefore
        let end = all.map(\.notAfter).min() ?? leaf.notAfter
        // Certificates of the path that were never valid together are not kept for longer than this moment.
        return TrustedCertificate(key: key, validity: begin <= end ? begin...end : time...time)
    }

    /// The third part of `041@8310000000083040@中国银联股份有限公司@00016495`.
    private static func owner(of commonName: String) -> String? {
        let parts = commonName.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count > 2 ? String(parts[2]) : nil
    }
}

extension NotificationError {
    fileprivate static func unreadable(_ error: CryptoError) -> NotificationError {
        NotificationError(.untrustedCertificate, "the message's certificate is refused: \(error.reason)")
    }
}

extension UnionPayTrust {
    /// Until when messages can be believed: the end of the root, and that of the middle certificate that lasts longest. The
    /// next one stands in the file beside the present one before UnionPay signs with it.
    ///
    /// - Parameter section: of the configuration that names the files.
    func expiries(of section: String) -> [CertificateExpiry] {
        let last = middle.map(\.notAfter).max() ?? chain.root.notAfter
        return [("root", chain.root.notAfter), ("middle", last)].map { name, end in
            CertificateExpiry(merchant: UnionPay.name, file: "\(section).\(name)", notAfter: end)
        }
    }

    /// Reads the certificates of one environment.
    ///
    /// - Parameters:
    ///   - section: of the configuration that names the files.
    ///   - problems: takes what is wrong with them; nil is made then.
    convenience init?(
        root rootFile: String, middle middleFile: String, of section: String,
        problems: inout [ConfigurationError.Problem]
    ) {
        let roots = Self.read(rootFile, "\(section).root", &problems)
        let middle = Self.read(middleFile, "\(section).middle", &problems)
        guard let root = roots.first, !middle.isEmpty else { return nil }
        guard roots.count == 1, root.isCA, root.isSigned(by: root) else {
            problems.append(
                .init(key: "\(section).root", reason: "is not one self-signed authority: \(rootFile)"))
            return nil
        }
        for certificate in middle where !certificate.isCA || !(middle + [root]).contains(where: certificate.isSigned) {
            problems.append(
                .init(
                    key: "\(section).middle",
                    reason: "\(certificate.subjectCommonName ?? "a certificate") is no authority under \(section).root")
            )
        }
        self.init(root: root, middle: middle)
    }

    private static func read(
        _ path: String, _ key: String, _ problems: inout [ConfigurationError.Problem]
    ) -> [X509Certificate] {
        do {
            let all = try X509Certificate.all(inPEM: String(contentsOfFile: path, encoding: .utf8))
            if all.isEmpty { problems.append(.init(key: key, reason: "has no certificate in PEM: \(path)")) }
            return all
        } catch {
            problems.append(.init(key: key, reason: "is not a file of certificates in PEM: \(path)"))
            return []
        }
    }
}

/// A certificate of UnionPay's that was verified, and the seconds since 1970 in which that verification holds.
struct TrustedCertificate: Sendable {
    let key: RSAPublicKey
    let validity: ClosedRange<Int64>
}
