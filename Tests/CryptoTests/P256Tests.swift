import OrchardCrypto
import Testing

@Suite("P-256")
struct P256Tests {
    /// RFC 6979 A.2.5, message "sample" with SHA-256.
    static let point = """
        04 60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6
        7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299
        """
    static let r = "EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716"
    static let s = "F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8"
    static let order = "FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551"
    static let zero = String(repeating: "00", count: 32)

    @Test("verifies the signature of RFC 6979, and no other message")
    func vector() throws {
        let key = try P256PublicKey(uncompressed: hex(Self.point))
        #expect(key.verify(signature: try hex(Self.r + Self.s), message: Array("sample".utf8)))
        #expect(!key.verify(signature: try hex(Self.r + Self.s), message: Array("Sample".utf8)))
    }

    @Test(
        "refuses numbers of a signature outside the group, and other lengths",
        arguments: [
            zero + s, r + zero, order + s, r + order, String(repeating: "FF", count: 64), r, r + s + "00", "",
            "00" + r + s,
        ])
    func signatureRefusals(_ signature: String) throws {
        let key = try P256PublicKey(uncompressed: hex(Self.point))
        #expect(!key.verify(signature: try hex(signature), message: Array("sample".utf8)))
    }

    @Test("a DER signature must be minimal and complete")
    func derSignatures() throws {
        let key = try P256PrivateKey.generate()
        let message = Array("message".utf8)
        let signature = try key.derSignature(of: message)
        #expect(key.publicKey.verify(derSignature: signature, message: message))
        for bad in [
            signature + [0], Array(signature.dropLast()), [0x30, 0x81, UInt8(signature.count - 2)] + signature[2...],
            [],
        ] {
            #expect(!key.publicKey.verify(derSignature: bad, message: message))
        }
    }

    @Test("signs in 64 bytes, always")
    func signing() throws {
        let key = try P256PrivateKey.generate()
        for number in 0..<300 {
            let message = Array("message \(number)".utf8)
            let signature = try key.sign(message)
            #expect(signature.count == 64)
            #expect(key.publicKey.verify(signature: signature, message: message))
        }
    }

    /// RFC 7518 appendix C.
    @Test("agrees on the secret of RFC 7518")
    func agreement() throws {
        let alice = try P256PrivateKey(scalar: secret("0_NxaRPUMQoAJt50Gz8YiTr8gRTwyEaCumd-MToTmIo"))
        let bob = try P256PrivateKey(scalar: secret("VEmDZpDXXK8p8N0Cndsxs924q6nS1RXFASRl6BfUqdw"))
        #expect(Base64.encodeURL(alice.publicKey.x) == "gI0GAILBdu7T53akrFmMyGcsF3n5dO7MmwNBHKW5SV0")
        #expect(Base64.encodeURL(bob.publicKey.y) == "e8lnCO-AlStT-NJVX-crhB7QRYhiix03illJOVAOyck")
        let shared = try alice.sharedSecret(with: bob.publicKey)
        shared.withBytes {
            #expect(Hex.encode($0) == "9e56d91d817135d372834283bf84269cfb316ea3da806a48f6daa7798cfe90c4")
        }
        let other = try bob.sharedSecret(with: alice.publicKey)
        let isSame = shared.equals(other)
        #expect(isSame)
    }

    @Test("agrees with a fresh key each time, on the secret that the owner of the other key computes")
    func freshKeys() throws {
        let key = try P256PrivateKey.generate()
        var points: Set<[UInt8]> = []
        for _ in 0..<200 {
            let agreement = try EphemeralAgreement(with: key.publicKey)
            points.insert(agreement.point)
            let secret = try key.sharedSecret(with: P256PublicKey(uncompressed: agreement.point))
            let isSame = agreement.secret.equals(secret)
            #expect(isSame)
        }
        #expect(points.count == 200)
    }

    @Test("successive keys, with points off the curve between them, keep nothing of each other")
    func manyKeys() async throws {
        let (key, bad) = (try P256PrivateKey.generate(), [0x04] + [UInt8](repeating: 1, count: 64))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<50 {
                        let other = try P256PrivateKey.generate()
                        let theirs = try P256PublicKey(uncompressed: other.publicKey.uncompressed)
                        #expect(throws: CryptoError.self) { try P256PublicKey(uncompressed: bad) }
                        let mine = try key.sharedSecret(with: theirs)
                        let same = try other.sharedSecret(with: key.publicKey)
                        let isSame = mine.equals(same)
                        #expect(isSame)
                        let message = Array("message".utf8)
                        #expect(theirs.verify(signature: try other.sign(message), message: message))
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("a secret keeps its leading zeros")
    func leadingZeros() throws {
        let key = try P256PrivateKey.generate()
        var zeros = 0
        for _ in 0..<20_000 where zeros < 2 {
            let other = try P256PrivateKey.generate()
            let shared = try key.sharedSecret(with: other.publicKey)
            #expect(shared.count == 32)
            zeros += shared.withBytes { $0[0] == 0 ? 1 : 0 }
        }
        #expect(zeros == 2, "one secret in 256 begins with a zero byte")
    }

    @Test(
        "refuses points in other forms, off the curve, and at infinity",
        arguments: [
            "", "00", "04", point.replacing("04 60", with: "04 61"), point + "00", String(point.dropLast(2)),
            point.replacing("04 60", with: "06 60"), point.replacing("04 60", with: "07 60"),
            "02 60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6", "04" + zero + zero,
            "04 FFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF 66485C780E2F83D72433BD5D84A06BB6541C2AF31DAE871728BF856A174F93F4",
        ])
    func pointRefusals(_ point: String) throws {
        let error = try #require(throws: CryptoError.self) { try P256PublicKey(uncompressed: hex(point)) }
        #expect(error.code == .key)
    }

    @Test("a SubjectPublicKeyInfo has exactly one form")
    func publicKeyInfo() throws {
        let key = try P256PublicKey(uncompressed: hex(Self.point))
        let info = key.subjectPublicKeyInfo
        #expect(info.count == 91)
        #expect(try P256PublicKey(subjectPublicKeyInfo: info) == key)
        for bad in [info + [0], Array(info.dropLast()), [0x30, 0x81, 0x59] + info[2...], key.uncompressed] {
            #expect(throws: CryptoError.self) { try P256PublicKey(subjectPublicKeyInfo: bad) }
        }
    }

    @Test("a private key survives PEM; its number gives the same key")
    func persistence() throws {
        let key = try P256PrivateKey.generate()
        #expect(try P256PrivateKey(pem: key.pem).publicKey == key.publicKey)
        #expect(try P256PrivateKey(scalar: key.scalar()).publicKey == key.publicKey)
        #expect(key.publicKey.pem.hasPrefix("-----BEGIN PUBLIC KEY-----"))
    }

    @Test("any PEM but a P-256 key is refused, an encrypted one without a passphrase prompt")
    func pemRefusals() throws {
        let encrypted = """
            -----BEGIN ENCRYPTED PRIVATE KEY-----
            MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgeTbcZSbMXkAICCAAw
            -----END ENCRYPTED PRIVATE KEY-----
            """
        for pem in ["", "no key", encrypted, RSAFixture.key, try P256PrivateKey.generate().publicKey.pem] {
            let error = try #require(throws: CryptoError.self) {
                try P256PrivateKey(pem: SecretBytes(copying: pem.utf8))
            }
            #expect(error.code == .key)
        }
        for count in [0, 31, 33] {
            #expect(throws: CryptoError.self) { try P256PrivateKey(scalar: SecretBytes(count: count)) }
        }
        #expect(throws: CryptoError.self) { try P256PrivateKey(scalar: SecretBytes(count: 32)) }
    }

    private func secret(_ text: String) throws -> SecretBytes {
        SecretBytes(taking: try #require(Base64.decodeURL(text)))
    }
}
