import Foundation
import OrchardJOSE
import OrchardServiceKit

/// A JWKS file that others replace while the program runs.
public final class KeySetFile: Sendable {
    public let path: String
    private let current: Locked<JWKSet>

    /// - Parameter setting: the setting that names the file, for the words of the error.
    /// - Throws: `ConfigurationError` when the file is no key set now.
    public init(path: String, setting: String) throws(ConfigurationError) {
        self.path = path
        do {
            current = Locked(try Self.read(path))
        } catch {
            throw ConfigurationError(problems: [.init(key: setting, reason: "\(path): \(error)")])
        }
    }

    /// The set as it was read last.
    public var keys: JWKSet { current.withLock { $0 } }

    /// Reads the file again; when it is no key set now, the last one stays.
    ///
    /// - Returns: what is wrong with the file; nil when it is right.
    public func reload() -> String? {
        do {
            let keys = try Self.read(path)
            current.withLock { $0 = keys }
            return nil
        } catch {
            return "\(path): \(error)"
        }
    }

    /// Symbolic links are followed anew each time: an orchestrator replaces a mounted secret by turning a link.
    private static func read(_ path: String) throws -> JWKSet {
        try JWKSet(json: Array(Data(contentsOf: URL(filePath: path))))
    }
}
