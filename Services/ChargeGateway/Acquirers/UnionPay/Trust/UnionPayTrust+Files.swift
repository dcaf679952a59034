import Foundation
import OrchardCrypto
import OrchardServiceKit

extension UnionPayTrust {
    /// Reads the certificates that the configuration names.
    ///
    /// - Parameter problems: takes what is wrong with them; nil is made then.
    convenience init?(_ configuration: UnionPayConfiguration, problems: inout [ConfigurationError.Problem]) {
        let roots = Self.read(configuration.root, "unionpay.root", &problems)
        let middle = Self.read(configuration.middle, "unionpay.middle", &problems)
        guard let root = roots.first, !middle.isEmpty else { return nil }
        guard roots.count == 1, root.isCA, root.isSigned(by: root) else {
            problems.append(
                .init(key: "unionpay.root", reason: "is not one self-signed authority: \(configuration.root)"))
            return nil
        }
        for certificate in middle where !certificate.isCA || !(middle + [root]).contains(where: certificate.isSigned) {
            problems.append(
                .init(
                    key: "unionpay.middle",
                    reason: "\(certificate.subjectCommonName ?? "a certificate") is no authority under unionpay.root"))
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
