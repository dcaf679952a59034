import OrchardCrypto
import OrchardJOSE
import OrchardJSON
import Testing

/// Checks both directions with Debian's python3-jwcrypto.
@Suite(
    "JOSE with jwcrypto",
    .enabled(if: PythonScript.mustRun(importing: "jwcrypto"), "python3-jwcrypto is not installed"))
struct JWCryptoTests {
    static let count = 200

    @Test("jwcrypto opens what we seal and verifies what we sign")
    func oursToTheirs() async throws {
        let key = try P256PrivateKey.generate()
        let set = try JWKSet([JWK(keyID: "k1", privateKey: key)])
        var lines = [String(decoding: try set.json(), as: UTF8.self)]
        for number in 0..<Self.count {
            let plaintext = Array("card data \(number)".utf8)
            lines.append(
                try JWE.seal(
                    SecretBytes(copying: plaintext), to: key.publicKey, keyID: "k1", apu: SecureRandom.bytes(16),
                    apv: SecureRandom.bytes(32)))
            lines.append(try JWS.sign(payload: plaintext, type: "t", keyID: "k1", with: key))
        }
        let printed = try await PythonScript(
            source: """
                import sys
                from jwcrypto import jwk, jwe, jws
                lines = sys.stdin.read().splitlines()
                key = jwk.JWKSet.from_json(lines[0]).get_key("k1")
                for sealed, signed in zip(lines[1::2], lines[2::2]):
                    opened = jwe.JWE()
                    opened.deserialize(sealed, key)
                    verified = jws.JWS()
                    verified.deserialize(signed, key)
                    assert verified.payload == opened.payload
                    print(opened.payload.decode())
                """
        ).run(lines.joined(separator: "\n"))
        #expect(printed.split(separator: "\n").map(String.init) == (0..<Self.count).map { "card data \($0)" })
    }

    @Test("we open what jwcrypto seals and verify what it signs")
    func theirsToOurs() async throws {
        let key = try P256PrivateKey.generate()
        let set = try JWKSet([JWK(keyID: "k1", privateKey: key)])
        let printed = try await PythonScript(
            source: """
                import sys
                from jwcrypto import jwk, jwe, jws
                from jwcrypto.common import json_encode, base64url_encode
                key = jwk.JWKSet.from_json(sys.stdin.read()).get_key("k1")

                for number in range(\(Self.count)):
                    head = {"alg": "ECDH-ES", "enc": "A256GCM", "kid": "k1", "apu": base64url_encode(b"u" * 16),
                            "apv": base64url_encode(b"v" * 32)}
                    sealed = jwe.JWE(b"card data %d" % number, json_encode(head))
                    sealed.add_recipient(key)
                    print(sealed.serialize(compact=True))
                    signed = jws.JWS(b"card data %d" % number)
                    signed.add_signature(key, None, json_encode({"alg": "ES256", "kid": "k1", "typ": "t"}))
                    print(signed.serialize(compact=True))
                """
        ).run(String(decoding: try set.json(), as: UTF8.self))
        let lines = printed.split(separator: "\n").map(String.init)
        try #require(lines.count == Self.count * 2)
        for number in 0..<Self.count {
            let expected = Array("card data \(number)".utf8)
            let opened = try JWE.open(
                lines[number * 2], keys: { _ in key }, apu: [UInt8](repeating: UInt8(ascii: "u"), count: 16),
                apv: [UInt8](repeating: UInt8(ascii: "v"), count: 32))
            opened.withBytes { #expect($0 == expected) }
            #expect(try JWS.verify(lines[number * 2 + 1], type: "t", keys: set.publicKeys(at: 0)).payload == expected)
        }
    }
}
