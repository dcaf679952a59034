import Contracts
import Foundation
import OrchardCrypto
import OrchardJOSE
import OrchardJSON
import SandboxProcesses

/// The folder of one run: keys, configuration and logs. Everything in it is made for the run; the services' keys are
/// made by their own `keys` commands.
struct Workspace: Sendable {
    let folder: URL
    let merchants: [DemoMerchant]

    /// The file by which Apple verifies a domain, relative to `merchants.json`.
    static let associationFile = "domain/association.txt"

    var logs: URL { folder.appending(path: "logs") }
    var wallet: URL { folder.appending(path: "wallet") }
    var acquirer: URL { folder.appending(path: "acquirer") }
    var merchantsFile: URL { folder.appending(path: "merchants.json") }
    var ticketKey: URL { folder.appending(path: "keys/ticket.pem") }
    var ticketKeys: URL { folder.appending(path: "keys/ticket-keys.json") }
    var sealingPrivate: URL { folder.appending(path: "keys/sealing-private.json") }
    var sealingPublic: URL { folder.appending(path: "keys/sealing-public.json") }

    var contactPrivate: URL { folder.appending(path: "keys/contact-private.json") }
    var contactPublic: URL { folder.appending(path: "keys/contact-public.json") }

    /// Writes `merchants.json` into `folder`.
    ///
    /// - Parameters:
    ///   - shops: the servers that take webhooks, and their port; nil for none.
    ///   - web: for the first merchant's shop on the web; nil for apps alone.
    init(folder: URL, now: Timestamp, shops: (inbox: ShopInbox, port: Int)?, web: WebShop?) throws {
        self.folder = folder.standardizedFileURL
        merchants = DemoMerchant.pair(now: now)
        for name in ["logs", "keys", "wallet", "acquirer", "webhooks", "domain"] {
            try FileManager.default.createDirectory(
                at: folder.appending(path: name), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        }
        var entries: [JSONValue] = []
        for (index, merchant) in merchants.enumerated() {
            var webhook: (url: String, secret: String)?
            if let shops {
                let name = "webhooks/shop-\(index + 1).secret"
                let file = folder.appending(path: name)
                try Data("whsec_\(Base64.encode(shops.inbox.secrets[index]))\n".utf8).write(to: file)
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
                webhook = ("http://127.0.0.1:\(shops.port)/webhooks/\(index)", name)
            }
            entries.append(
                merchant.registryEntry(
                    wallet: "wallet", acquirer: "acquirer", webhook: webhook, web: index == 0 ? web : nil))
        }
        // Apple's file; what is in it only Apple knows.
        if web != nil { try Data("sandbox\n".utf8).write(to: folder.appending(path: Self.associationFile)) }
        let registry = JSONValue.object(["merchants": .array(entries)])
        try Data(registry.bytes).write(to: merchantsFile)
    }

    /// Makes the keys as an operator does.
    ///
    /// - Parameter programs: where the built programs are.
    func makeKeys(_ programs: URL) async throws {
        for (program, arguments) in [
            ("order-ledger", ["keys", "add", "--key", ticketKey.path, "--set", ticketKeys.path]),
            (
                "order-ledger",
                ["contact-keys", "add", "--private", contactPrivate.path, "--public", contactPublic.path]
            ),
            ("charge-gateway", ["keys", "add", "--private", sealingPrivate.path, "--public", sealingPublic.path]),
        ] {
            let run = try await ProgramRun.demo(
                programs.appending(path: program), arguments, environment: [:])
            guard run.status == 0 else {
                throw DemoError("\(program) \(arguments[0]) add failed:\n\(run.output)")
            }
        }
    }

    /// The ledger's signer, which the demo also uses for the command that waited too long.
    func ticketSigner() throws -> TicketSigner {
        let keyID = try JWKSet(json: Array(Data(contentsOf: ticketKeys))).keys[0].keyID
        return TicketSigner(
            keyID: keyID, key: try P256PrivateKey(pem: SecretBytes(copying: Data(contentsOf: ticketKey))))
    }

    /// The services' `merchants.json`.
    func registry() throws -> MerchantRegistry {
        try MerchantRegistry(parsing: Array(Data(contentsOf: merchantsFile)))
    }

    /// The key to which commands are sealed.
    func sealingKey() throws -> JWK { try JWKSet(json: Array(Data(contentsOf: sealingPublic))).keys[0] }
}
