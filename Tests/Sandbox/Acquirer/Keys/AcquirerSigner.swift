import Foundation
import SandboxPKI

/// Signs the acquirer's messages, correctly or wrongly.
struct AcquirerSigner: Sendable {
    private let pki: AcquirerPKI
    /// Whether the next signing certificate is in use.
    var isRotated = false

    /// Each certificate as UnionPay sends it, with CRLF, as it is signed. Made once.
    private let certificates: [AcquirerPKI.Name: String]

    init(_ pki: AcquirerPKI) {
        self.pki = pki
        certificates = Dictionary(
            uniqueKeysWithValues: AcquirerPKI.Name.allCases.map {
                ($0, pki[$0].certificate.pem.trimmingCharacters(in: .newlines).replacing("\n", with: "\r\n"))
            })
    }

    /// The message with version, certificate and signature.
    func sign(_ fields: [String: String], _ style: AnswerStyle) throws(PKIError) -> ACPMessage {
        let name: AcquirerPKI.Name =
            switch style {
            case .impostor: .impostor
            case .foreign: .foreign
            case .expired: .signExpired
            default: isRotated ? .signNext : .sign
            }
        var message = ACPMessage(fields)
        message["encoding"] = "UTF-8"
        message["signMethod"] = "01"
        message["version"] = "5.1.0"
        message["signPubKeyCert"] = certificates[name]
        var signature = try pki[name].key.sign(message.digest)
        if style == .badSignature { signature.reverse() }
        message["signature"] = Data(signature).base64EncodedString()
        return message
    }

    /// The card number in a result: masked, or encrypted for the merchant when it came encrypted.
    func card(of transaction: Transaction) throws(PKIError) -> String {
        guard transaction.request.isCardEncrypted else { return transaction.maskedCard }
        let sealed = try pki[.merchant].certificate.publicKey.encryptPKCS1(Array(transaction.card.utf8))
        return Data(sealed).base64EncodedString()
    }

    /// UnionPay's encryption certificate as its answer to txnType 95 has it.
    var encryptionCertificate: String { certificates[isRotated ? .encryptNext : .encrypt] ?? "" }

    /// The card number of a request in clear, empty when it has none; nil when it cannot be decrypted.
    func clearCard(of message: ACPMessage) -> String? {
        guard let number = message["encryptCertId"] else { return message["accNo"] ?? "" }
        let identity = [pki[.encrypt], pki[.encryptNext]].first { $0.certificate.serialNumberDecimal == number }
        guard let identity, let sealed = Data(base64Encoded: message["accNo"] ?? ""),
            let clear = try? identity.key.decryptPKCS1(Array(sealed))
        else { return nil }
        return String(decoding: clear, as: UTF8.self)
    }
}
