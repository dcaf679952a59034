import Contracts
import KeyFiles
import OrchardServiceKit

/// A snapshot of the merchants with the files that `merchants.json` names.
struct IngestMerchants: Sendable {
    let registry: MerchantRegistry
    let keys: ProcessingKeys
    let identities: MerchantIdentities
    let associations: DomainAssociations

    /// When certificates end.
    var certificates: [CertificateExpiry] { keys.certificates + identities.certificates }

    /// `merchants.json` with the keys that it names, read again while the service runs.
    static func file(_ path: String) throws(ConfigurationError) -> CheckedFile<IngestMerchants> {
        try CheckedFile(path: path) { path throws(ConfigurationError) in
            let file = try MerchantsFile(path: path)
            let (registry, folder) = (file.registry, file.folder)
            var problems: [ConfigurationError.Problem] = []
            let keys = problems.gather { () throws(ConfigurationError) in
                try ProcessingKeys(registry, folder: folder)
            }
            let identities = problems.gather { () throws(ConfigurationError) in
                try MerchantIdentities(registry, folder: folder)
            }
            let associations = problems.gather { () throws(ConfigurationError) in
                try DomainAssociations(registry, folder: folder)
            }
            guard let keys, let identities, let associations else { throw ConfigurationError(problems: problems) }
            return file.reading(
                IngestMerchants(registry: registry, keys: keys, identities: identities, associations: associations),
                naming: registry.merchants.map(\.applePay).flatMap { apple in
                    (apple.keys + apple.identities).flatMap(\.files) + apple.domains.map(\.associationFile)
                })
        }
    }
}
