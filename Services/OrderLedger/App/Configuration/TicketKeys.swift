import Contracts
import Crypto
import Foundation
import JOSE
import ServiceKit

/// The keys that sign and verify order tickets.
struct TicketKeys {
    let signer: TicketSigner
    let verifier: TicketVerifier

    /// The signing key's `kid` is that of its public half in the key set, so that no ticket is ever signed with a key
    /// that the other services do not know.
    init?(reader: ConfigReader) {
        let keyPath = reader.file("ticket.signing.key", doc: "The private key that signs tickets: PEM, P-256.")
        let setPath = reader.file(
            "ticket.keys", doc: "The JWKS with the public keys that tickets are verified with.")
        guard let pem = FileManager.default.contents(atPath: keyPath),
            let json = FileManager.default.contents(atPath: setPath)
        else { return nil }
        guard let key = try? P256PrivateKey(pem: String(decoding: pem, as: UTF8.self)) else {
            reader.report("ticket.signing.key", "is no private key on P-256 in PEM")
            return nil
        }
        guard let set = try? JWKSet(json: Array(json)) else {
            reader.report("ticket.keys", "is no JSON Web Key Set with keys on P-256")
            return nil
        }
        guard let own = set.keys.first(where: { $0.publicKey == key.publicKey }) else {
            reader.report("ticket.keys", "does not hold the public half of ticket.signing.key: add it first")
            return nil
        }
        signer = TicketSigner(keyID: own.keyID, key: key)
        verifier = TicketVerifier(keys: set.publicKeys)
    }
}
