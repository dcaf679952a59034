import Contracts
import Foundation
import OrchardServiceKit

/// `merchants.json`, the one file that describes the merchants to all services, as it was read.
public struct MerchantsFile: Sendable {
    public let path: String
    public let registry: MerchantRegistry

    /// - Throws: ``ConfigurationError`` with every problem of the file.
    public init(path: String) throws(ConfigurationError) {
        self.path = path
        do {
            guard let bytes = try KeyFile(path).read() else {
                throw KeyFileError(.missing, path, "does not exist")
            }
            registry = try MerchantRegistry(parsing: bytes)
        } catch {
            let reasons = (error as? MerchantRegistryError)?.problems.map { "\(path): \($0)" } ?? ["\(error)"]
            throw ConfigurationError(problems: reasons.map { .init(key: "merchants", reason: $0) })
        }
    }

    /// The base folder of the paths in the file.
    public var folder: URL { URL(filePath: path).deletingLastPathComponent() }

    /// Returns a snapshot that was made of the file and of the files that it names.
    ///
    /// - Parameter others: further files that the snapshot was made of.
    public func reading<Snapshot>(
        _ snapshot: Snapshot, naming names: [String] = [], and others: [String] = []
    ) -> CheckedFile<Snapshot>.Reading {
        .init(
            snapshot,
            files: [path] + others + names.map { URL(filePath: $0, relativeTo: folder).absoluteURL.path })
    }
}
