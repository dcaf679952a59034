import Contracts
import KeyFiles
import OrchardServiceKit

/// A snapshot of the merchants with their payment processing keys.
struct IngestMerchants: Sendable {
    let registry: MerchantRegistry
    let keys: ProcessingKeys

    /// `merchants.json` with the keys that it names, read again while the service runs.
    static func file(_ path: String) throws(ConfigurationError) -> CheckedFile<IngestMerchants> {
        try CheckedFile(path: path) { path throws(ConfigurationError) in
            let file = try MerchantsFile(path: path)
            let keys = try ProcessingKeys(file.registry, folder: file.folder)
            return file.reading(
                IngestMerchants(registry: file.registry, keys: keys),
                naming: file.registry.merchants.flatMap(\.applePay.keys).flatMap {
                    [$0.key, $0.certificate, $0.passwordFile].compactMap(\.self)
                })
        }
    }
}
