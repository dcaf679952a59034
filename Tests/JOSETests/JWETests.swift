import OrchardCrypto
import OrchardJOSE
import OrchardJSON
import TestSupport
import Testing

@Suite("JWE", .ownThreads)
struct JWETests {
    static let apu = [UInt8](0..<16)
    static let apv = SHA256.hash("ticket")
    static let plaintext = Array(#"{"pan":"6200000000000005"}"#.utf8)
    let key: P256PrivateKey
    let token: String

    init() throws {
        key = try P256PrivateKey.generate()
        token = try JWE.seal(
            SecretBytes(copying: Self.plaintext), to: key.publicKey, keyID: "2026-1", apu: Self.apu, apv: Self.apv)
    }

    private func refusal(
        _ token: String, apu: [UInt8] = apu, apv: [UInt8] = apv, keyID: String = "2026-1", key: P256PrivateKey? = nil
    ) -> JOSEError.Code? {
        do throws(JOSEError) {
            _ = try JWE.open(token, keys: { $0 == keyID ? key ?? self.key : nil }, apu: apu, apv: apv).count
            return nil
        } catch { return error.code }
    }

    @Test("sealed data opens, and each sealing differs")
    func roundTrip() throws {
        let opened = try JWE.open(token, keys: { _ in key }, apu: Self.apu, apv: Self.apv)
        opened.withBytes { #expect($0 == Self.plaintext) }
        let again = try JWE.seal(
            SecretBytes(copying: Self.plaintext), to: key.publicKey, keyID: "2026-1", apu: Self.apu, apv: Self.apv)
        #expect(again != token)
        #expect(try JWE.keyID(of: token) == "2026-1")
        #expect(refusal(token) == nil)
    }

    @Test("the header follows RFC 7518 section 4.6.1, in one canonical form")
    func header() throws {
        let header = try JSONValue(parsing: #require(Base64.decodeURL(token.prefix { $0 != "." })))
        #expect(header.members?.map(\.name) == ["alg", "apu", "apv", "enc", "epk", "kid"])
        #expect(header["alg"] == "ECDH-ES")
        #expect(header["enc"] == "A256GCM")
        #expect(header["apu"]?.string == Base64.encodeURL(Self.apu))
        #expect(header["epk"]?["crv"] == "P-256")
    }

    @Test("data sealed for another payment or ticket is refused with its own error")
    func binding() {
        #expect(refusal(token, apu: [UInt8](1..<17)) == .binding)
        #expect(refusal(token, apv: SHA256.hash("other ticket")) == .binding)
        #expect(refusal(token, apu: [], apv: []) == .binding)
    }

    @Test("a header changed to the other payment's binding fails at the tag")
    func forgedBinding() throws {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        let other = [UInt8](1..<17)
        let header = String(decoding: try #require(Base64.decodeURL(parts[0])), as: UTF8.self)
            .replacing(Base64.encodeURL(Self.apu), with: Base64.encodeURL(other))
        let forged = ([Base64.encodeURL(Array(header.utf8))] + parts.dropFirst().map(String.init)).joined(
            separator: ".")
        #expect(refusal(forged, apu: other) == .authentication)
    }

    @Test("a missing key gives another error than a wrong one")
    func keys() throws {
        #expect(refusal(token, keyID: "2026-2") == .unknownKey)
        #expect(refusal(token, key: try P256PrivateKey.generate()) == .authentication)
    }

    @Test("every flipped bit is refused")
    func flips() {
        let bytes = Array(token.utf8)
        for bit in 0..<bytes.count * 8 where bit % 8 != 7 {
            var changed = bytes
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(refusal(String(decoding: changed, as: UTF8.self)) != nil, "bit \(bit)")
        }
    }

    @Test(
        "a token of another form is malformed",
        arguments: [
            TokenChange("empty") { _ in "" }, TokenChange("four parts") { $0.replacing("..", with: ".") },
            TokenChange("six parts") { $0 + "." }, TokenChange("encrypted key") { $0.replacing("..", with: ".AAAA.") },
            TokenChange("padding") { $0 + "==" }, TokenChange("line break") { $0 + "\n" },
            TokenChange("shorter tag") { String($0.dropLast(4)) }, TokenChange("no tag") { String($0.dropLast(22)) },
            TokenChange("unused bits of the tag") { String($0.dropLast()) + "B" },
            TokenChange("over the size") { $0 + String(repeating: "A", count: 17_000) },
        ])
    func forms(_ change: TokenChange) {
        #expect(refusal(change.apply(token)) == .malformed)
    }

    @Test(
        "a header with more, fewer or other members is malformed",
        arguments: [
            (#""ECDH-ES""#, #""ECDH-ES+A256KW""#), (#""A256GCM""#, #""A128GCM""#), (#""alg""#, #""zip":"DEF","alg""#),
            (#""alg""#, #""alg":"ECDH-ES","alg""#), (#""P-256""#, #""P-384""#), (#""kty":"EC","#, ""),
            (#","kid":"2026-1""#, ""),
            (#""x":"#, #""x":"AAAA","xx":"#), (#""y":""#, #""y":"AAAA"#), (#","kid""#, #", "kid""#),
            (#"{"alg""#, #"["alg""#),
            (#"},"kid""#, #","d":"AA"},"kid""#),
        ])
    func headers(_ old: String, _ new: String) throws {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        let header = String(decoding: try #require(Base64.decodeURL(parts[0])), as: UTF8.self)
        let changed = header.replacing(old, with: new)
        try #require(changed != header)
        let forged = ([Base64.encodeURL(Array(changed.utf8))] + parts.dropFirst().map(String.init)).joined(
            separator: ".")
        #expect(refusal(forged) == .malformed)
        #expect(refusal(forged, keyID: "none") == .malformed, "a malformed token is refused without a key")
    }
}
