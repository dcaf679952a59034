import OrchardCrypto
import OrchardHTTPTypes
import Testing

@testable import Acquirers

@Suite("Encodings of secrets")
struct SecretEncodingTests {
    @Test("Base64 is the standard one, for every remainder of three", arguments: 0...9)
    func base64(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 101 + 250) }
        var text = SecretBytes()
        text.appendBase64(SecretBytes(copying: bytes))
        text.withBytes { #expect(String(decoding: $0, as: UTF8.self) == Base64.encode(bytes)) }
    }

    @Test("Percent-encoding is the standard one, for every byte of ASCII and beyond")
    func percent() {
        let all = String(String.UnicodeScalarView((1...0x7F).compactMap(Unicode.Scalar.init))) + "成功"
        var text = SecretBytes()
        text.appendPercentEncoded(all.utf8)
        text.withBytes { #expect(String(decoding: $0, as: UTF8.self) == PercentEncoding.encode(all)) }
    }
}
