import OrchardCrypto
import OrchardJSON

extension JSONReader {
    /// A string as bytes that are wiped.
    mutating func secret() throws(JSONError) -> SecretBytes {
        var secret = SecretBytes()
        // ASCII without escapes is copied unchanged.
        let isTaken: Bool? = plain { text in
            for index in 0..<text.count where text[index] >= 0x80 { return nil }
            secret.append(text)
            return true
        }
        if isTaken == nil { try utf8 { secret.append($0) } }
        return secret
    }

    /// Base64 of at least one byte, returned as written.
    mutating func base64Secret() throws(JSONError) -> SecretBytes {
        let text = try secret()
        let decoded = SecretBytes(taking: text.withBytes { Base64.decode(utf8: $0) } ?? [])
        guard !decoded.isEmpty else { throw error(.value, "base64 is expected") }
        return text
    }

    /// Hexadecimal digits of at least one byte, returned as written.
    mutating func hexSecret() throws(JSONError) -> SecretBytes {
        let text = try secret()
        let decoded = SecretBytes(taking: text.withBytes { Hex.decode(utf8: $0) } ?? [])
        guard !decoded.isEmpty else { throw error(.value, "hexadecimal digits are expected") }
        return text
    }

    /// A string that is not secret and whose UTF-8 passes the test.
    mutating func string(
        _ fits: ([UInt8]) -> Bool, orRefuse reason: () -> String
    ) throws(JSONError) -> String {
        let text = try string()
        guard fits(Array(text.utf8)) else { throw error(.value, reason()) }
        return text
    }
}
