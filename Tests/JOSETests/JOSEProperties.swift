import OrchardCrypto
import OrchardJOSE
import OrchardJSON

/// Properties of the JOSE readers that hold for every input. The fuzzer and the replay of its inputs share them.
///
/// The first byte of an input chooses the meaning of the rest: a token, a header of an otherwise correct token, or a
/// key set.
struct JOSEProperties {
    /// A public test key, so that kept inputs can contain correct tokens.
    private static let scalar = "0_NxaRPUMQoAJt50Gz8YiTr8gRTwyEaCumd-MToTmIo"
    private static let apu = [UInt8](0..<16)
    private static let apv = [UInt8](16..<48)
    private static let type = "t"
    private static let keyID = "k"

    private let key: P256PrivateKey
    private let sealed: [String]

    init() throws {
        key = try P256PrivateKey(scalar: SecretBytes(taking: Base64.decodeURL(Self.scalar) ?? []))
        sealed = try JWE.seal(
            SecretBytes(copying: [1, 2, 3]), to: key.publicKey, keyID: Self.keyID, apu: Self.apu, apv: Self.apv
        ).split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }

    /// Checks one input; returns the violated property, or nil.
    func violation(_ bytes: [UInt8]) -> String? {
        guard let kind = bytes.first else { return nil }
        let rest = Array(bytes.dropFirst())
        switch kind % 5 {
        case 0: return signedViolation(String(decoding: rest, as: UTF8.self))
        case 1: return sealedViolation(String(decoding: rest, as: UTF8.self))
        case 2: return setViolation(rest)
        case 3: return headerViolation(rest)
        default: return sealedViolation(([Base64.encodeURL(rest)] + sealed.dropFirst()).joined(separator: "."))
        }
    }

    /// An accepted token has the one correct form, down to its last bit.
    private func signedViolation(_ token: String) -> String? {
        guard let payload = try? JWS.verify(token, type: Self.type, keys: [Self.keyID: key.publicKey]).payload else {
            return nil
        }
        let parts = token.split(separator: ".").map(String.init)
        let header = Base64.encodeURL(Array(#"{"alg":"ES256","kid":"k","typ":"t"}"#.utf8))
        return parts.count == 3 && parts[0] == header && parts[1] == Base64.encodeURL(payload)
            ? nil : "a signed token of another form is accepted"
    }

    /// Of all headers, only the one correct form is accepted, even with a correct signature.
    private func headerViolation(_ header: [UInt8]) -> String? {
        let input = "\(Base64.encodeURL(header)).e30"
        // Signing every input would take most of the fuzzer's time. A header that is refused whatever the signature
        // needs none.
        do throws(JOSEError) {
            _ = try JWS.verify("\(input).", type: Self.type, keys: [Self.keyID: key.publicKey])
            return "a token without signature is accepted"
        } catch {
            if error.code == .malformed { return nil }
        }
        guard let signature = try? key.sign(Array(input.utf8)) else { return "no signature is made" }
        return signedViolation("\(input).\(Base64.encodeURL(signature))")
    }

    /// Only tokens that were sealed here can be opened.
    private func sealedViolation(_ token: String) -> String? {
        let opened = try? JWE.open(token, keys: { _ in key }, apu: Self.apu, apv: Self.apv).withBytes {
            $0 == [1, 2, 3]
        }
        return opened == false ? "something else opens" : nil
    }

    /// A set that was read can be written and reads back as the same.
    private func setViolation(_ json: [UInt8]) -> String? {
        guard let set = try? JWKSet(json: json) else { return nil }
        guard let written = try? set.json(), let again = try? JWKSet(json: written).json() else {
            return "a key set that was read cannot be written and read again"
        }
        return written == again ? nil : "a key set reads back as another"
    }
}
