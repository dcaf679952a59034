import OrchardCrypto
import Testing

@Suite("RSA")
struct RSATests {
    static let message = Array("orchard".utf8)

    @Test("makes the same signatures as others")
    func signing() throws {
        let key = try RSAPrivateKey(pem: SecretBytes(copying: RSAFixture.key.utf8))
        let signature = try #require(Base64.decode(RSAFixture.signature))
        #expect(try key.signPKCS1SHA256(Self.message) == signature)
        #expect(key.publicKey.verifyPKCS1SHA256(signature: signature, message: Self.message))
        #expect(!key.publicKey.verifyPKCS1SHA256(signature: signature, message: Self.message + [0]))
        var flipped = signature
        flipped[255] ^= 1
        for bad in [flipped, Array(signature.dropLast()), signature + [0], [0] + signature, []] {
            #expect(!key.publicKey.verifyPKCS1SHA256(signature: bad, message: Self.message))
        }
    }

    @Test("opens OAEP with SHA-256 in both places, and nothing else")
    func oaep() throws {
        let key = try RSAPrivateKey(pem: SecretBytes(copying: RSAFixture.key.utf8))
        let opened = try key.decryptOAEPSHA256(try #require(Base64.decode(RSAFixture.oaep)))
        opened.withBytes { #expect($0 == Array("sixteen byte key".utf8)) }
        let flipped = try #require(Base64.decode(RSAFixture.oaep)).enumerated().map { $0 == 200 ? $1 ^ 1 : $1 }
        for bad in [
            try #require(Base64.decode(RSAFixture.oaepWithMGF1SHA1)),
            try #require(Base64.decode(RSAFixture.oaepWithLabel)),
            flipped, try key.publicKey.encryptPKCS1(Self.message), [UInt8](repeating: 0xFF, count: 256),
            [UInt8](repeating: 0, count: 257), [],
        ] {
            let error = try #require(throws: CryptoError.self) { try key.decryptOAEPSHA256(bad).count }
            #expect(error.code == .authentication)
        }
    }

    @Test("encrypts and decrypts with both paddings; data that does not fit is refused")
    func encryption() throws {
        let key = try RSAPrivateKey.generate()
        #expect(key.bits == 2048)
        try key.decryptOAEPSHA256(key.publicKey.encryptOAEPSHA256(Self.message)).withBytes {
            #expect($0 == Self.message)
        }
        try key.decryptPKCS1(key.publicKey.encryptPKCS1(Self.message)).withBytes { #expect($0 == Self.message) }
        #expect(throws: CryptoError.self) { try key.publicKey.encryptOAEPSHA256([UInt8](repeating: 1, count: 191)) }
        #expect(try key.publicKey.encryptOAEPSHA256([UInt8](repeating: 1, count: 190)).count == 256)
    }

    @Test("keys survive PEM and DER, and keep their kind")
    func persistence() throws {
        let key = try RSAPrivateKey(pem: SecretBytes(copying: RSAFixture.key.utf8))
        #expect(try RSAPrivateKey(pem: key.pem).publicKey.subjectPublicKeyInfo == key.publicKey.subjectPublicKeyInfo)
        #expect(try RSAPublicKey(subjectPublicKeyInfo: key.publicKey.subjectPublicKeyInfo).bits == 2048)
        let other = try P256PrivateKey.generate()
        #expect(throws: CryptoError.self) { try RSAPrivateKey(pem: other.pem) }
        #expect(throws: CryptoError.self) {
            try RSAPublicKey(subjectPublicKeyInfo: other.publicKey.subjectPublicKeyInfo)
        }
        #expect(throws: CryptoError.self) {
            try RSAPublicKey(subjectPublicKeyInfo: key.publicKey.subjectPublicKeyInfo + [0])
        }
    }
}
