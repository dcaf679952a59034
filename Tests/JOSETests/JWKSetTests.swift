import OrchardCrypto
import OrchardJOSE
import OrchardJSON
import Testing

@Suite("Key sets")
struct JWKSetTests {
    /// The keys of RFC 7517 appendix A.2; Orchard uses the first only.
    static let example = #"""
        {"keys":[{"kty":"EC","crv":"P-256","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
        "y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM","d":"870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE",
        "use":"enc","kid":"1"},{"kty":"RSA","n":"AQAB","e":"AQAB","alg":"RS256","kid":"2011-04-29"},
        {"kty":"oct","k":"AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"}]}
        """#

    @Test("reads the set of RFC 7517 and skips keys of other kinds")
    func reading() throws {
        let set = try JWKSet(json: Array(Self.example.utf8))
        #expect(set.keys.map(\.keyID) == ["1"])
        #expect(set["1"]?.privateKey?.publicKey == set["1"]?.publicKey)
        #expect(set["2"] == nil)
    }

    @Test("writes the set that it has read; without private keys there is no d")
    func writing() throws {
        let key = try P256PrivateKey.generate()
        let set = try JWKSet([
            JWK(keyID: "a", privateKey: key, notBefore: 100, expires: 200),
            JWK(keyID: "b", publicKey: P256PrivateKey.generate().publicKey),
        ])
        let back = try JWKSet(json: set.json())
        #expect(back["a"]?.privateKey?.publicKey == key.publicKey)
        #expect(back["a"]?.notBefore == 100)
        #expect(back["a"]?.expires == 200)
        #expect(back["b"]?.privateKey == nil)
        let shown = try JSONValue(parsing: set.withoutPrivateKeys.json())
        #expect(shown["keys"]?[0]?["kid"] == "a")
        #expect(shown["keys"]?[0]?["d"] == nil)
        #expect(back.publicKeys(at: 100)["a"] == key.publicKey)
    }

    @Test("a key verifies nothing before its start or after its end", arguments: [99, 100, 199, 200])
    func publicKeys(_ time: Int64) throws {
        let set = try JWKSet([
            JWK(keyID: "a", publicKey: P256PrivateKey.generate().publicKey, notBefore: 100, expires: 200),
            JWK(keyID: "b", publicKey: P256PrivateKey.generate().publicKey),
        ])
        #expect(Set(set.publicKeys(at: time).keys) == (100..<200 ~= time ? ["a", "b"] : ["b"]))
    }

    @Test(
        "a key is active from its start until before its end",
        arguments: [(99, false), (100, true), (199, true), (200, false)])
    func span(_ time: Int64, _ isActive: Bool) throws {
        let key = JWK(keyID: "a", publicKey: try P256PrivateKey.generate().publicKey, notBefore: 100, expires: 200)
        #expect(key.isActive(at: time) == isActive)
        #expect(JWK(keyID: "b", publicKey: key.publicKey).isActive(at: time))
    }

    @Test("the thumbprint is that of RFC 7638")
    func thumbprint() throws {
        let key = try #require(try JWKSet(json: Array(Self.example.utf8))["1"])
        // Computed with Python's jwcrypto.
        #expect(JWK.thumbprint(of: key.publicKey) == "cn-I_WNMClehiVp51i_0VpOENW1upEerA8sEam5hn-s")
    }

    @Test(
        "an invalid set is refused, and the error names the place",
        arguments: [
            ("{}", "keys: the member is required"), (#"{"keys":{}}"#, "keys: an array is expected"),
            (#"{"keys":[{"crv":"P-256"}]}"#, "keys[0].kty"),
            (#"{"keys":[{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}]}"#, "keys[0].kid"),
            (#"{"keys":[{"kty":"EC","crv":"P-256","kid":"a","x":"AA","y":"AA"}]}"#, "32 bytes"),
            (example.replacing("MKBC", with: "NKBC"), "not on P-256"),
            (example.replacing("870M", with: "871M"), "does not belong"),
            (example.replacing("870M", with: "870+"), "base64url"), (example + "x", "more text"),
            (#"{"keys":[],"keys":[]}"#, "twice"),
        ])
    func refusals(_ json: String, _ expected: String) throws {
        let error = try #require(throws: JOSEError.self) { try JWKSet(json: Array(json.utf8)) }
        #expect(error.code == .key)
        #expect(error.reason.contains(expected), "\(error.reason)")
    }

    @Test("two keys with one identifier are refused")
    func duplicates() throws {
        let key = JWK(keyID: "a", publicKey: try P256PrivateKey.generate().publicKey)
        #expect(throws: JOSEError.self) { try JWKSet([key, key]) }
    }
}
