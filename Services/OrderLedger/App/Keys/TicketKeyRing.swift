import Contracts
import Foundation
import KeyFiles
import OrchardCrypto
import OrchardJOSE
import OrchardServiceKit

/// The files of the ticket keys, read again while the service runs. A key is changed without a restart, and tickets of
/// an instance that already signs with the next key are accepted.
///
/// The signing key's `kid` is that of its public half in the key set: no ticket is ever signed with a key that the
/// other services do not know.
final class TicketKeyRing: Sendable {
    private let signingKeyFile: String
    private let set: KeySetFile
    private let signer: Locked<TicketSigner>
    private let problem = Locked<String?>(nil)

    /// Configuration keys:
    /// - `ticket.signing.key`: the private key that signs tickets, PEM, P-256
    /// - `ticket.keys`: the JWKS that all three services verify tickets with; holds the signing key's public half
    init?(reader: ConfigReader) {
        signingKeyFile = reader.file("ticket.signing.key", doc: "The private key that signs tickets: PEM, P-256.")
        let setFile = reader.file(
            "ticket.keys", doc: "The JWKS with the public keys that tickets are verified with.")
        guard !signingKeyFile.isEmpty, !setFile.isEmpty else { return nil }
        do throws(ConfigurationError) {
            set = try KeySetFile(path: setFile, setting: "ticket.keys", for: .verifying)
            signer = Locked(try Self.signer(signingKeyFile, set.keys))
        } catch {
            for problem in error.problems { reader.report(problem.key, problem.reason) }
            return nil
        }
    }

    /// The keys as they were last read. The verifying keys are those that are valid now.
    var keys: TicketKeys {
        let now = Timestamp.now.seconds
        return TicketKeys(signer: signer.withLock { $0 }, verifier: TicketVerifier(keys: set.keys.publicKeys(at: now)))
    }

    /// Reads the signing key again, after the set. If the set does not hold it, the last key stays.
    ///
    /// - Returns: the problem; nil when there is none.
    func reloadSigner() -> String? {
        do throws(ConfigurationError) {
            let next = try Self.signer(signingKeyFile, set.keys)
            signer.withLock { $0 = next }
            return nil
        } catch {
            return error.description
        }
    }

    /// Reads both files periodically. A problem is reported once, until it changes.
    func reloader(
        and files: [any ReloadedFile] = [], every interval: Duration, readiness: Readiness, logger: Logger,
        afterReload: @escaping @Sendable () -> Void = {}
    ) -> FileReloader {
        FileReloader([set] + files, every: interval, readiness: readiness, logger: logger) { [self] in
            afterReload()
            let before = signer.withLock { $0.keyID }
            let found = reloadSigner()
            let now = signer.withLock { $0.keyID }
            if now != before { logger.notice("tickets are signed with key \(now) from now on, no longer \(before)") }
            let known = problem.withLock { known in
                defer { known = found }
                return known
            }
            if let found, found != known {
                logger.error("the signing key cannot be changed; the previous key stays in use: \(found)")
            }
        }
    }

    private static func signer(_ file: String, _ set: JWKSet) throws(ConfigurationError) -> TicketSigner {
        let key: P256PrivateKey
        do {
            key = try P256PrivateKey(pem: KeyFile(file).readPrivate())
        } catch {
            let reason = (error as? KeyFileError)?.description ?? "\(file) is no private key on P-256 in PEM"
            throw ConfigurationError(problems: [.init(key: "ticket.signing.key", reason: reason)])
        }
        guard let own = set.keys.first(where: { $0.publicKey == key.publicKey }) else {
            throw ConfigurationError(
                problems: [
                    .init(
                        key: "ticket.keys",
                        reason: "does not hold the public half of ticket.signing.key: add it first")
                ])
        }
        // The key signs a probe, which must verify with the set that all services have.
        let probe = try? JWS.sign(
            payload: Array("probe".utf8), type: TicketSigner.type, keyID: own.keyID, with: key)
        let keys = set.publicKeys(at: Timestamp.now.seconds)
        guard let probe, (try? JWS.verify(probe, type: TicketSigner.type, keys: keys)) != nil else {
            throw ConfigurationError(
                problems: [
                    .init(
                        key: "ticket.signing.key",
                        reason: "\(file): a signature of this key does not verify with ticket.keys; make a new key")
                ])
        }
        return TicketSigner(keyID: own.keyID, key: key)
    }
}
