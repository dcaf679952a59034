import OrchardCrypto
import Testing

@testable import OrchardJOSE

@Suite("Key derivation of ECDH-ES")
struct ConcatKDFTests {
    /// RFC 7518 appendix C.
    @Test("the vector of RFC 7518")
    func vector() throws {
        let secret = SecretBytes(
            taking: try #require(Hex.decode("9e56d91d817135d372834283bf84269cfb316ea3da806a48f6daa7798cfe90c4")))
        let key = ConcatKDF.derive(
            16, from: secret, algorithm: "A128GCM", apu: Array("Alice".utf8), apv: Array("Bob".utf8))
        key.withBytes { #expect(Base64.encodeURL($0) == "VqqN6vgjbSBcIijNcacQGg") }
    }
}
