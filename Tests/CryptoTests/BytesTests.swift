import OrchardCrypto
import Testing

@Suite("Bytes and their texts")
struct BytesTests {
    /// RFC 4648 section 10, and the characters in which the alphabets differ.
    @Test(
        "base64",
        arguments: [
            ([], "", ""), (Array("f".utf8), "Zg==", "Zg"), (Array("fo".utf8), "Zm8=", "Zm8"),
            (Array("foo".utf8), "Zm9v", "Zm9v"),
            (Array("foob".utf8), "Zm9vYg==", "Zm9vYg"), (Array("foobar".utf8), "Zm9vYmFy", "Zm9vYmFy"),
            ([0xFB, 0xFF, 0xFE], "+//+", "-__-"), ([0xFF], "/w==", "_w"),
        ] as [([UInt8], String, String)])
    func base64(_ bytes: [UInt8], _ standard: String, _ url: String) {
        #expect(Base64.encode(bytes) == standard)
        #expect(Base64.encodeURL(bytes) == url)
        #expect(Base64.decode(standard) == bytes)
        #expect(Base64.decodeURL(url) == bytes)
    }

    @Test(
        "base64 is canonical",
        arguments: [
            "Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "Zm8", "Z", "=", "====", "Zm9v\n", "Zm 9", "Zm9v====", "-__-",
            "Zg==Zg==", "Zm9vY",
            "Zm9é", "Z===",
        ])
    func base64Refusals(_ text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test(
        "base64url has no padding and no other alphabet",
        arguments: ["Zg==", "+//+", "Zh", "Z", "Zm9vY", "Zm8\n", "Zm9"])
    func base64URLRefusals(_ text: String) {
        #expect(Base64.decodeURL(text) == nil)
    }

    @Test("all lengths survive encoding and decoding")
    func lengths() {
        for count in 0..<100 {
            let bytes = SecureRandom.bytes(count)
            #expect(Base64.decode(Base64.encode(bytes)) == bytes)
            #expect(Base64.decodeURL(Base64.encodeURL(bytes)) == bytes)
            #expect(Hex.decode(Hex.encode(bytes)) == bytes)
        }
    }

    @Test("hexadecimal is written in lower case and read in both")
    func hexadecimal() {
        #expect(Hex.encode([0x00, 0x9F, 0xAB]) == "009fab")
        #expect(Hex.decode("009FaB") == [0x00, 0x9F, 0xAB])
        for bad in ["0", "0g", " 00", "0x00", "é"] { #expect(Hex.decode(bad) == nil) }
    }

    @Test("a secret grows without changing, compares, and is only copied on purpose")
    func secrets() {
        var secret = SecretBytes()
        for byte in 0..<200 { secret.append(UInt8(byte)) }
        #expect(secret.count == 200)
        secret.withBytes { #expect($0 == (0..<200).map(UInt8.init)) }
        let comparisons = [
            secret.equals(secret.copy()), secret.equals(SecretBytes(count: 200)),
            secret.equals(SecretBytes(count: 199)),
        ]
        #expect(comparisons == [true, false, false])
    }

    @Test("a secret is wiped when its owner is destroyed, even where the array was kept")
    func wiping() {
        var kept: [UInt8] = []
        do {
            let secret = SecretBytes(copying: [1, 2, 3])
            secret.withBytes { kept = $0 }
            #expect(kept == [1, 2, 3])
        }
        #expect(kept == [0, 0, 0])
    }

    @Test("random bytes differ")
    func random() {
        #expect(SecureRandom.bytes(32) != SecureRandom.bytes(32))
        #expect(SecureRandom.bytes(0).isEmpty)
    }
}
