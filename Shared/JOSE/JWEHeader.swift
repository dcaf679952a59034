import OrchardCrypto
import OrchardJSON

/// The one protected header that is written and accepted.
struct JWEHeader {
    static let encryption = "A256GCM"

    let keyID: String
    let apu: [UInt8]
    let apv: [UInt8]
    /// The ephemeral key as `04 ‖ x ‖ y`, 65 bytes.
    let point: [UInt8]

    /// Reads the variable members, writes the header from them, and compares: any other content is refused.
    static func read(_ form: CompactForm) throws(JOSEError) -> (header: JWEHeader, ephemeral: P256PublicKey) {
        var keyID: String?
        var apu: String?
        var apv: String?
        var x: String?
        var y: String?
        let found = try form.header { reader, name throws(JSONError) in
            switch name {
            case "kid": keyID = try reader.string()
            case "apu": apu = try reader.string()
            case "apv": apv = try reader.string()
            case "epk":
                try reader.object { reader, name throws(JSONError) in
                    switch name {
                    case "x": x = try reader.string()
                    case "y": y = try reader.string()
                    default: try reader.skip()
                    }
                }
            default: try reader.skip()
            }
        }
        guard let keyID, let apu = apu.flatMap(Base64.decodeURL), let apv = apv.flatMap(Base64.decodeURL),
            let x = x.flatMap(Base64.decodeURL), let y = y.flatMap(Base64.decodeURL), x.count == 32, y.count == 32
        else { throw JOSEError(.malformed, "the header of the token lacks kid, apu, apv or a P-256 key") }
        let ephemeral: P256PublicKey
        do throws(CryptoError) {
            ephemeral = try P256PublicKey(uncompressed: [0x04] + x + y)
        } catch {
            throw JOSEError(.malformed, "the ephemeral key of the token is not on P-256")
        }
        let header = JWEHeader(keyID: keyID, apu: apu, apv: apv, point: ephemeral.uncompressed)
        guard found == header.bytes else {
            throw JOSEError(.malformed, "the header of the token is not that of ECDH-ES with A256GCM")
        }
        return (header, ephemeral)
    }

    var bytes: [UInt8] {
        JSONWriter.object { header in
            header.member("alg", "ECDH-ES")
            header.member("apu", Base64.encodeURL(apu))
            header.member("apv", Base64.encodeURL(apv))
            header.member("enc", Self.encryption)
            header.object("epk") { key in
                key.member("crv", "P-256")
                key.member("kty", "EC")
                key.member("x", Base64.encodeURL(Array(point[1..<33])))
                key.member("y", Base64.encodeURL(Array(point[33...])))
            }
            header.member("kid", keyID)
        }
    }
}
