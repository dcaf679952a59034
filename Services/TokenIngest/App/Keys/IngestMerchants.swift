import Contracts
import Foundation
import KeyFiles
import OrchardServiceKit

/// The merchants with their payment processing keys, as they were at one moment.
struct IngestMerchants: Sendable {
    let registry: MerchantRegistry
    let keys: ProcessingKeys

    /// `merchants.json` with the keys that it names, read again while the service runs.
    static func file(_ path: String) throws(ConfigurationError) -> CheckedFile<IngestMerchants> {
        try CheckedFile(path: path) { path throws(ConfigurationError) in try read(path) }
    }

    private static func read(_ path: String) throws(ConfigurationError) -> CheckedFile<IngestMerchants>.Reading {
        let file = URL(filePath: path)
        let folder = file.deletingLastPathComponent()
        let registry: MerchantRegistry
        do {
            registry = try MerchantRegistry(parsing: Array(Data(contentsOf: file)))
        } catch {
            throw ConfigurationError(problems: [.init(key: "merchants", reason: "\(error)")])
        }
        let named = registry.merchants.flatMap(\.applePay.keys).flatMap { [$0.key, $0.certificate].compactMap(\.self) }
        return .init(
            IngestMerchants(registry: registry, keys: try ProcessingKeys(registry, folder: folder)),
            files: [path] + named.map { URL(filePath: $0, relativeTo: folder).absoluteURL.path })
    }
}
