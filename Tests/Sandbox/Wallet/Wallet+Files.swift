import Foundation
import SandboxPKI

/// `manifest.json`: the files of a wallet's directory and their contents.
struct WalletManifest: Codable {
    struct Files: Codable {
        var cert: String
        var key: String
    }

    struct Key: Codable {
        var scheme: Wallet.Scheme
        var generation: Int
        /// base64
        var publicKeyHash: String
        var cert: String
        var key: String
    }

    struct Merchant: Codable {
        var id: String
        /// hexadecimal
        var partyV: String
        var processing: [Key]
        var identity: Files
    }

    var root: Files
    var intermediate: Files
    var relations: Files
    var leaf: [String: Files]
    var merchants: [Merchant]
    var server: Files

    enum CodingKeys: String, CodingKey {
        case root, intermediate, relations, leaf, merchants
        case server = "tls-server"
    }
}

extension Wallet {
    /// The file that identifies a folder of keys.
    public static let manifestFile = "manifest.json"

    /// Writes certificates, keys and the manifest, in the layout of the oracles' Python wallet.
    public func save(to directory: URL) throws {
        func save(_ identity: Identity, _ stem: String) throws -> WalletManifest.Files {
            let files = WalletManifest.Files(cert: "\(stem).cert.pem", key: "\(stem).key.pem")
            try identity.save(
                certificate: directory.appending(path: files.cert), key: directory.appending(path: files.key))
            return files
        }
        var leaf: [String: WalletManifest.Files] = [:]
        for (scheme, identity) in leaves { leaf[scheme.rawValue] = try save(identity, "leaf-\(scheme.rawValue)") }
        let rows = try merchants.map { merchant in
            let keys = try merchant.keys.map { key in
                let files = try save(
                    key.identity, "\(merchant.id)/processing-\(key.scheme.rawValue)-\(key.generation)")
                return WalletManifest.Key(
                    scheme: key.scheme, generation: key.generation,
                    publicKeyHash: Data(try Self.publicKeyHash(key.identity)).base64EncodedString(),
                    cert: files.cert, key: files.key)
            }
            return WalletManifest.Merchant(
                id: merchant.id, partyV: Hexadecimal.encode(merchant.partyV), processing: keys,
                identity: try save(merchant.identity, "\(merchant.id)/identity"))
        }
        let manifest = WalletManifest(
            root: try save(root, "root"), intermediate: try save(intermediate, "intermediate"),
            relations: try save(relations, "relations"), leaf: leaf, merchants: rows,
            server: try save(server, "tls-server"))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try encoder.encode(manifest).write(to: directory.appending(path: Self.manifestFile))
    }

    /// Reads a directory written by ``save(to:)`` or by the Python wallet.
    public init(directory: URL) throws {
        func load(_ cert: String, _ key: String) throws -> Identity {
            try Identity.load(certificate: directory.appending(path: cert), key: directory.appending(path: key))
        }
        func load(_ files: WalletManifest.Files) throws -> Identity { try load(files.cert, files.key) }

        guard let data = try? Data(contentsOf: directory.appending(path: Self.manifestFile)) else {
            throw WalletError(
                .badDirectory, "\(directory.path) has no manifest.json: make it with `sandbox wallet init`")
        }
        let manifest = try JSONDecoder().decode(WalletManifest.self, from: data)
        var leaves: [Scheme: Identity] = [:]
        for (name, files) in manifest.leaf {
            if let scheme = Scheme(rawValue: name) { leaves[scheme] = try load(files) }
        }
        let merchants = try manifest.merchants.map { row in
            WalletMerchant(
                id: row.id,
                keys: try row.processing.map {
                    WalletMerchant.ProcessingKey(
                        scheme: $0.scheme, generation: $0.generation, identity: try load($0.cert, $0.key))
                }, identity: try load(row.identity))
        }
        self.init(
            root: try load(manifest.root), intermediate: try load(manifest.intermediate),
            relations: try load(manifest.relations), leaves: leaves, merchants: merchants,
            server: try load(manifest.server))
    }
}
