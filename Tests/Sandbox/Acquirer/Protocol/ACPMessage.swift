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

    /// The present fields of these names.
    func keeping(_ names: [String]) -> [String: String] { fields.filter { names.contains($0.key) } }

    /// The signed text: the lower-case hexadecimal SHA-256 of all fields but the signature, sorted and joined raw. RSA
    /// with SHA-256 signs these 64 characters, so the fields are hashed twice.
    var digest: [UInt8] {
        let text = sorted.filter { $0.key != "signature" }.map { "\($0.key)=\($0.value)" }.joined(separator: "&")
        return Array(Hexadecimal.encode(Digest.sha256.hash(Array(text.utf8))).utf8)
    }

    /// Whether the signature matches the other fields.
    func isSigned(by key: PublicKey) -> Bool {
        guard let text = self["signature"], let signature = Data(base64Encoded: text) else { return false }
        return key.verify(Array(signature), of: digest)
    }

    /// The body of an answer: `k=v&k=v`, not percent-encoded.
    var answerBody: [UInt8] { Array(sorted.map { "\($0.key)=\($0.value)" }.joined(separator: "&").utf8) }

    /// The body of a notification: a percent-encoded form.
    var formBody: [UInt8] {
        let pairs = sorted.map { escaped($0.key) + [UInt8(ascii: "=")] + escaped($0.value) }
        return Array(pairs.joined(separator: [UInt8(ascii: "&")]))
    }

    /// Reads a percent-encoded form; nil when the body is no form, or a name comes twice.
    init?(form body: [UInt8]) {
        var fields: [String: String] = [:]
        for pair in body.split(separator: UInt8(ascii: "&")) {
            guard let equals = pair.firstIndex(of: UInt8(ascii: "=")), let name = unescaped(pair[..<equals]),
                let value = unescaped(pair[(equals + 1)...]), fields.updateValue(value, forKey: name) == nil
            else { return nil }
        }
        self.init(fields)
    }

    private var sorted: [(key: String, value: String)] {
        fields.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { ($0.key, $0.value) }
    }
}

// Byte by byte: Foundation's percent encoding used half of the simulator's time.

private let hexadecimalDigits = Array("0123456789ABCDEF".utf8)

private func escaped(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    for byte in text.utf8 {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            bytes.append(byte)
        default:
            bytes += [UInt8(ascii: "%"), hexadecimalDigits[Int(byte >> 4)], hexadecimalDigits[Int(byte & 15)]]
        }
    }
    return bytes
}

/// nil for text that is not ASCII, a wrong escape, or escaped bytes that are not UTF-8.
private func unescaped(_ text: ArraySlice<UInt8>) -> String? {
    var bytes: [UInt8] = []
    var rest = text[...]
    while let byte = rest.popFirst() {
        switch byte {
        case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
        case UInt8(ascii: "%"):
            guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                return nil
            }
            bytes.append(high << 4 | low)
        case 0x80...: return nil
        default: bytes.append(byte)
        }
    }
    return String(validating: bytes, as: UTF8.self)
}

private func digit(_ byte: UInt8) -> UInt8? {
    Character(UnicodeScalar(byte)).hexDigitValue.map { UInt8($0) }
}
