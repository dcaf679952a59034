import OrchardCrypto
import OrchardJOSE
import OrchardJSON
import Testing

@Suite("JWS")
struct JWSTests {
    static let type = "orchard-ticket"
    let key: P256PrivateKey
    let other: P256PrivateKey
    let token: String

    init() throws {
        key = try P256PrivateKey.generate()
        other = try P256PrivateKey.generate()
        token = try JWS.sign(payload: Array(#"{"exp":1}"#.utf8), type: Self.type, keyID: "k1", with: key)
    }

    private var keys: [String: P256PublicKey] { ["k1": key.publicKey, "k2": other.publicKey] }

    private func refusal(_ token: String) -> JOSEError.Code? {
        do throws(JOSEError) {
            _ = try JWS.verify(token, type: Self.type, keys: keys)
            return nil
        } catch { return error.code }
    }

    /// The token with another header and a correct signature over it.
    private func signed(header: String, payload: String = "{}", by key: P256PrivateKey? = nil) throws -> String {
        let input = Base64.encodeURL(Array(header.utf8)) + "." + Base64.encodeURL(Array(payload.utf8))
        return input + "." + Base64.encodeURL(try (key ?? self.key).sign(Array(input.utf8)))
    }

    @Test("verification returns the signed payload and the key's identifier")
    func roundTrip() throws {
        let (payload, keyID) = try JWS.verify(token, type: Self.type, keys: keys)
        #expect(payload == Array(#"{"exp":1}"#.utf8))
        #expect(keyID == "k1")
        #expect(
            token.hasPrefix(Base64.encodeURL(Array(#"{"alg":"ES256","kid":"k1","typ":"orchard-ticket"}"#.utf8)) + "."))
    }

    /// RFC 7515 appendix A.3. Its header names no key, so only the signature is used.
    @Test("the signature of RFC 7515 A.3 verifies")
    func vector() throws {
        let x = try #require(Base64.decodeURL("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"))
        let y = try #require(Base64.decodeURL("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"))
        let signature = try #require(
            Base64.decodeURL("DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"))
        let input =
            "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
        let key = try P256PublicKey(uncompressed: [4] + x + y)
        #expect(key.verify(signature: signature, message: Array(input.utf8)))
        #expect(!key.verify(signature: signature, message: Array(input.utf8.dropLast())))
    }

    @Test(
        "any other header is refused, even with a correct signature",
        arguments: [
            #"{"alg":"none","kid":"k1","typ":"orchard-ticket"}"#, #"{"alg":"HS256","kid":"k1","typ":"orchard-ticket"}"#,
            #"{"alg":"es256","kid":"k1","typ":"orchard-ticket"}"#, #"{"alg":"ES256","kid":"k1","typ":"other"}"#,
            #"{"alg":"ES256","kid":"k1"}"#, #"{"kid":"k1","typ":"orchard-ticket"}"#,
            #"{"alg":"ES256","typ":"orchard-ticket"}"#,
            #"{"alg":"ES256","b64":false,"crit":["b64"],"kid":"k1","typ":"orchard-ticket"}"#,
            #"{"alg":"ES256","jwk":{},"kid":"k1","typ":"orchard-ticket"}"#,
            #"{"alg":"ES256","jku":"https://evil.example","kid":"k1","typ":"orchard-ticket"}"#,
            #"{"alg":"ES256","kid":"k1","kid":"k1","typ":"orchard-ticket"}"#,
            #"{"alg":"ES256","kid":1,"typ":"orchard-ticket"}"#,
            #"{"kid":"k1","alg":"ES256","typ":"orchard-ticket"}"#,
            #"{"alg": "ES256","kid":"k1","typ":"orchard-ticket"}"#,
            #"{"alg":"ES256","kid":"k\u0031","typ":"orchard-ticket"}"#,
            #"{"alg":"ES256","kid":"k1","typ":"orchard-ticket"} "#,
            "", "null", "[]", "{", "\u{FEFF}{}",
        ])
    func headers(_ header: String) throws {
        #expect(refusal(try signed(header: header)) == .malformed)
    }

    @Test(
        "a token of another form is malformed",
        arguments: [
            TokenChange("empty") { _ in "" }, TokenChange("no parts") { _ in "abc" },
            TokenChange("two parts") { String($0.prefix { $0 != "." }) + ".e30" },
            TokenChange("four parts") { $0 + "." },
            TokenChange("padding") { $0 + "=" }, TokenChange("white space") { $0 + "\n" },
            TokenChange("space inside") { $0.replacing(".", with: ". ") }, TokenChange("other alphabet") { $0 + "+/" },
            TokenChange("unused bits") { String($0.dropLast()) + "B" },
            TokenChange("over the size") { $0 + String(repeating: "A", count: 9000) },
        ])
    func forms(_ change: TokenChange) {
        #expect(refusal(change.apply(token)) == .malformed)
    }

    @Test(
        "a signature of another length is refused",
        arguments: [
            TokenChange("none") { $0.split(separator: ".").prefix(2).joined(separator: ".") + "." },
            TokenChange("longer") { $0 + "AAAA" }, TokenChange("shorter") { String($0.dropLast(4)) + "AA" },
        ])
    func lengths(_ change: TokenChange) {
        #expect(refusal(change.apply(token)) == .authentication)
    }

    @Test("an unknown key gives another error than a wrong signature")
    func keysByName() throws {
        #expect(refusal(try JWS.sign(payload: [], type: Self.type, keyID: "k3", with: key)) == .unknownKey)
        #expect(refusal(try JWS.sign(payload: [], type: Self.type, keyID: "k2", with: key)) == .authentication)
        #expect(refusal(try JWS.sign(payload: [], type: Self.type, keyID: "k2", with: other)) == nil)
    }

    @Test("every flipped bit of a token is refused")
    func flips() throws {
        let bytes = Array(token.utf8)
        for bit in 0..<bytes.count * 8 where bit % 8 != 7 {
            var changed = bytes
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(refusal(String(decoding: changed, as: UTF8.self)) != nil, "bit \(bit)")
        }
    }

    @Test("signature numbers outside the group are refused")
    func signatureNumbers() throws {
        let order = try #require(Hex.decode("FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551"))
        let input = token.split(separator: ".").prefix(2).joined(separator: ".")
        let signature = Array(try #require(Base64.decodeURL(token.split(separator: ".")[2])))
        let (r, s) = (Array(signature[..<32]), Array(signature[32...]))
        let zero = [UInt8](repeating: 0, count: 32)
        for signature in [zero + s, r + zero, order + s, r + order] {
            #expect(refusal(input + "." + Base64.encodeURL(signature)) == .authentication)
        }
    }
}
