import Foundation
import SandboxAcquirer
import SandboxPKI

/// What UnionPay sends, made without the code under test.
struct SignedMessage {
    var fields: [String: String]

    /// The answer to `charge`'s sale or query, or its notification, but for what `changes` says; an empty value takes a
    /// field away.
    init(_ sample: [String: String], _ changes: [String: String] = [:]) {
        let common = [
            "version": "5.1.0", "encoding": "UTF-8", "signMethod": "01", "accessType": "0", "bizType": "000802",
            "respCode": "00", "respMsg": "成功[0000000]",
        ]
        fields = common.merging(sample) { $1 }.merging(changes) { $1 }.filter { !$0.value.isEmpty }
    }

    /// Adds certificate and signature; UnionPay sends the certificate with CRLF, and it is signed so.
    func signed(by identity: Identity, comment: String = "") throws -> SignedMessage {
        var message = self
        message.fields["signPubKeyCert"] =
            comment + identity.certificate.pem.trimmingCharacters(in: .newlines).replacing("\n", with: "\r\n")
        let digest = Digest.sha256.hash(Array(message.text.utf8)).map { String(format: "%02x", $0) }.joined()
        message.fields["signature"] = Data(try identity.key.sign(Array(digest.utf8))).base64EncodedString()
        return message
    }

    /// `k=v&k=v`, as an answer's body.
    var text: String {
        fields.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { "\($0.key)=\($0.value)" }
            .joined(separator: "&")
    }

    var answer: [UInt8] { Array(text.utf8) }

    /// Percent-encoded, as a notification's body.
    var form: [UInt8] {
        let unreserved = CharacterSet(
            charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
        let parts = fields.map { name, value in
            "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: unreserved) ?? "")"
        }
        return Array(parts.joined(separator: "&").utf8)
    }
}
