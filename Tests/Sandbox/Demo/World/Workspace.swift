import Contracts
import Crypto
import Foundation
import JOSE
import JSON

/// The folder of one run: keys, configuration and logs. Everything in it is made anew for the run.
struct Workspace: Sendable {
    let folder: URL
    let merchants: [DemoMerchant]
    /// The ledger's key, which the demo borrows for the command that waited too long.
    let ticketSigner: TicketSigner
    /// What commands are sealed to.
    let sealingKey: JWK

    var logs: URL { folder.appending(path: "logs") }
    var wallet: URL { folder.appending(path: "wallet") }
    var acquirer: URL { folder.appending(path: "acquirer") }
    var merchantsFile: URL { folder.appending(path: "merchants.json") }
    var ticketKey: URL { folder.appending(path: "keys/ticket.pem") }
    var ticketKeys: URL { folder.appending(path: "keys/ticket-keys.json") }
    var sealingPrivate: URL { folder.appending(path: "keys/sealing-private.json") }
    var sealingPublic: URL { folder.appending(path: "keys/sealing-public.json") }
    /// The `kid` of the ledger's ticket key.
    static let ticketKeyID = "ledger-1"

    /// Writes keys and `merchants.json` into `folder`.
    init(folder: URL, now: Timestamp) throws {
        self.folder = folder.standardizedFileURL
        merchants = DemoMerchant.pair(now: now)
        let ticket = try P256PrivateKey.generate()
        ticketSigner = TicketSigner(keyID: Self.ticketKeyID, key: ticket)
        sealingKey = JWK(
            keyID: "gateway-1", privateKey: try P256PrivateKey.generate(), notBefore: now.seconds - 3_600,
            expires: now.seconds + 23 * 3_600)
        for name in ["logs", "keys", "wallet", "acquirer"] {
            try FileManager.default.createDirectory(
                at: folder.appending(path: name), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        }
        try write(Array(ticket.pem.utf8), to: ticketKey)
        try write(JWKSet([JWK(keyID: Self.ticketKeyID, publicKey: ticket.publicKey)]).json(), to: ticketKeys)
        try write(JWKSet([sealingKey]).json(), to: sealingPrivate)
        try write(JWKSet([sealingKey]).withoutPrivateKeys.json(), to: sealingPublic)
        let registry = JSONValue.object([
            "merchants": .array(merchants.map { $0.registryEntry(wallet: "wallet", acquirer: "acquirer") })
        ])
        try write(registry.bytes, to: merchantsFile)
    }

    private func write(_ bytes: [UInt8], to file: URL) throws {
        try Data(bytes).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    }
}
