import OrchardCrypto
import Testing

@Suite("AES-GCM")
struct AESGCMTests {
    static let key = "feffe9928665731c6d6a8f9467308308"
    static let plaintext = """
        d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657\
        ba637b39
        """
    static let aad = "feedfacedeadbeeffeedfacedeadbeefabaddad2"
    static let longIV = """
        9313225df88406e555909c5aff5269aa6a7a9538534f7da1e4c303d2a318a728c3c0c95156809539fcf0e2429a6b525416aedbf5a0de6a57\
        a637b39b
        """

    /// McGrew and Viega, "The Galois/Counter Mode of Operation", test cases 4, 5, 6, 16, 17 and 18: IVs of 12, 8 and 60
    /// bytes. The IVs of 8 and 60 bytes go through GHASH, as Apple's 16 zero bytes do.
    @Test(
        "vectors",
        arguments: [
            (
                key, "cafebabefacedbaddecaf888",
                """
                42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac97\
                3d58e0915bc94fbc3221a5db94fae95ae7121a47
                """
            ),
            (
                key, "cafebabefacedbad",
                """
                61353b4c2806934a777ff51fa22a4755699b2a714fcdc6f83766e5f97b6c742373806900e49f24b22b097544d4896b424989b5e1ebac0f07\
                c23f45983612d2e79e3b0785561be14aaca2fccb
                """
            ),
            (
                key, longIV,
                """
                8ce24998625615b603a033aca13fb894be9112a5c3a211a8ba262a3cca7e2ca701e4a9a4fba43c90ccdcb281d48c7c6fd62875d2aca41703\
                4c34aee5619cc5aefffe0bfa462af43c1699d050
                """
            ),
            (
                key + key, "cafebabefacedbaddecaf888",
                """
                522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0a\
                bcc9f66276fc6ece0f4e1768cddf8853bb2d551b
                """
            ),
            (
                key + key, "cafebabefacedbad",
                """
                c3762df1ca787d32ae47c13bf19844cbaf1ae14d0b976afac52ff7d79bba9de0feb582d33934a4f0954cc2363bc73f7862ac430e64abe499\
                f47c9b1f3a337dbf46a792c45e454913fe2ea8f2
                """
            ),
            (
                key + key, longIV,
                """
                5a8def2f0c9e53f1f75d7853659e2a20eeb2b22aafde6419a058ab4f6f746bf40fc0c3b780f244452da3ebf1c5d82cdea2418997200ef82e\
                44ae7e3fa44a8266ee1c8eb0c8b5d4cf5ae9f19a
                """
            ),
        ])
    func vectors(_ key: String, _ iv: String, _ sealed: String) throws {
        let sealed = try hex(sealed)
        let ours = try AESGCM.seal(
            hex(Self.plaintext), key: SecretBytes(taking: hex(key)), iv: hex(iv), aad: hex(Self.aad))
        #expect(ours == sealed)
        let opened = try AESGCM.open(sealed, key: SecretBytes(taking: hex(key)), iv: hex(iv), aad: hex(Self.aad))
        let expected = try hex(Self.plaintext)
        opened.withBytes { #expect($0 == expected) }
    }

    @Test("every flipped bit of ciphertext and tag is refused")
    func flips() throws {
        let sealed = try AESGCM.seal(
            Array("card data".utf8), key: SecretBytes(taking: hex(Self.key + Self.key)),
            iv: [UInt8](repeating: 0, count: 16))
        for bit in 0..<sealed.count * 8 {
            var changed = sealed
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(refusal(changed) == .authentication, "bit \(bit)")
        }
        for count in 0..<sealed.count {
            #expect(refusal(Array(sealed.prefix(count))) == .authentication, "\(count) bytes")
        }
        #expect(refusal(sealed) == nil)
    }

    @Test("another IV, additional data or key is refused")
    func others() throws {
        let sealed = try AESGCM.seal(
            [1, 2, 3], key: SecretBytes(taking: hex(Self.key)), iv: [UInt8](repeating: 0, count: 12), aad: [9])
        for (key, iv, aad) in [
            (Self.key, 12, []), (Self.key, 16, [9]), (Self.key, 12, [8]), (String(Self.key.reversed()), 12, [9]),
            (Self.key + Self.key, 12, [9]),
        ] as [(String, Int, [UInt8])] {
            let key = try hex(key)
            #expect(throws: CryptoError.self) {
                try AESGCM.open(
                    sealed, key: SecretBytes(copying: key), iv: [UInt8](repeating: 0, count: iv), aad: aad
                ).count
            }
        }
    }

    @Test("a key of another size is refused with its own error", arguments: [0, 15, 17, 24, 31, 33])
    func keySizes(_ count: Int) throws {
        let error = try #require(throws: CryptoError.self) {
            try AESGCM.seal([1], key: SecretBytes(count: count), iv: [UInt8](repeating: 0, count: 12))
        }
        #expect(error.code == .input)
    }

    @Test("an empty plaintext has a tag only")
    func empty() throws {
        let sealed = try AESGCM.seal([], key: SecretBytes(count: 16), iv: [UInt8](repeating: 0, count: 12))
        // Test case 1 of McGrew and Viega.
        #expect(Hex.encode(sealed) == "58e2fccefa7e3061367f1d57a4e7455a")
        #expect(try AESGCM.open(sealed, key: SecretBytes(count: 16), iv: [UInt8](repeating: 0, count: 12)).isEmpty)
    }

    private func refusal(_ sealed: [UInt8]) -> CryptoError.Code? {
        do throws(CryptoError) {
            let key = Hex.decode(Self.key + Self.key) ?? []
            _ = try AESGCM.open(sealed, key: SecretBytes(taking: key), iv: [UInt8](repeating: 0, count: 16)).count
            return nil
        } catch { return error.code }
    }
}
