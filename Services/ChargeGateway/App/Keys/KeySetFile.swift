import Foundation
import JOSE
import ServiceKit

/// A JWKS file that others replace while the program runs.
final class KeySetFile: Sendable {
    let path: String
    private let current: Locked<JWKSet>

    /// - Throws: ``ConfigurationError`` when the file is no key set now.
    init(path: String, setting: String) throws(ConfigurationError) {
        self.path = path
        do {
            current = Locked(try Self.read(path))
        } catch {
            throw ConfigurationError(problems: [.init(key: setting, reason: "\(path): \(error)")])
        }
    }

    /// The set as it was read last.
    var keys: JWKSet { current.withLock { $0 } }

    /// Reads the file again; when it is no key set now, the last one stays.
    ///
    /// - Returns: what is wrong with the file; nil when it is right.
    func reload() -> String? {
        do {
            let keys = try Self.read(path)
            current.withLock { $0 = keys }
            return nil
        } catch {
            return "\(path): \(error)"
        }
    }

    private static func read(_ path: String) throws -> JWKSet {
        try JWKSet(json: Array(Data(contentsOf: URL(filePath: path))))
    }
}
