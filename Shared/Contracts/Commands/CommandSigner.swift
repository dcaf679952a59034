import OrchardCrypto
import OrchardJOSE

/// Signs commands to the gateway, with the key that signs order-ledger's tickets.
public struct CommandSigner: Sendable {
    private let keyID: String
    private let key: P256PrivateKey

    /// - Parameters:
    ///   - keyID: the `kid` under which the gateway finds the public key in its JWKS file of ticket keys.
    ///   - key: order-ledger's signing key.
    public init(keyID: String, key: P256PrivateKey) {
        self.keyID = keyID
        self.key = key
    }

    /// Signs a command for the gateway.
    public func sign(_ command: CancelRequested) throws(CryptoError) -> SignedCommand {
        SignedCommand(
            jws: try JWS.sign(payload: command.json, type: SignedCommand.type, keyID: keyID, with: key),
            claims: command)
    }
}
