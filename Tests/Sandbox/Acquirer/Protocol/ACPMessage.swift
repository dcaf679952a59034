import Foundation
import SandboxPKI

/// The fields of a request, an answer or a notification of UnionPay's ACP 5.1.0.
struct ACPMessage: Hashable, Sendable {
    private(set) var fields: [String: String]

    /// Blank fields count as absent.
    init(_ fields: [String: String]) { self.fields = fields.filter { !$0.value.isEmpty } }

    subscript(name: String) -> String? {
        get { fields[name] }
        set { fields[name] = newValue?.isEmpty == true ? nil : newValue }
    }

    /// The fields of these names that are there.
    func keeping(_ names: [String]) -> [String: String] { fields.filter { names.contains($0.key) } }

    /// What is signed: the lower-case hexadecimal SHA-256 of all fields but the signature, sorted and joined raw. RSA
    /// with SHA-256 goes over these 64 characters, so that the fields are hashed twice.
    var digest: [UInt8] {
        let text = sorted.filter { $0.key != "signature" }.map { "\($0.key)=\($0.value)" }.joined(separator: "&")
        return Array(Hexadecimal.encode(Digest.sha256.hash(Array(text.utf8))).utf8)
    }

    /// Whether the signature is right for the other fields.
    func isSigned(by key: PublicKey) -> Bool {
        guard let text = self["signature"], let signature = Data(base64Encoded: text) else { return false }
        return key.verify(Array(signature), of: digest)
    }

    /// The body of an answer: `k=v&k=v`, not percent-encoded.
    var answerBody: [UInt8] { Array(sorted.map { "\($0.key)=\($0.value)" }.joined(separator: "&").utf8) }

    /// The body of a notification: a percent-encoded form.
    var formBody: [UInt8] {
        Array(sorted.map { "\(escaped($0.key))=\(escaped($0.value))" }.joined(separator: "&").utf8)
    }

    /// Reads a percent-encoded form; nil when it is none, or a name comes twice.
    init?(form body: [UInt8]) {
        guard let text = String(bytes: body, encoding: .ascii) else { return nil }
        var fields: [String: String] = [:]
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let decoded = parts.map { $0.replacing("+", with: " ").removingPercentEncoding }
            guard decoded.count == 2, let name = decoded[0], let value = decoded[1],
                fields.updateValue(value, forKey: name) == nil
            else { return nil }
        }
        self.init(fields)
    }

    private var sorted: [(key: String, value: String)] {
        fields.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { ($0.key, $0.value) }
    }
}

private func escaped(_ text: String) -> String {
    let unreserved = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~"
    return text.addingPercentEncoding(withAllowedCharacters: CharacterSet(charactersIn: unreserved)) ?? ""
}
