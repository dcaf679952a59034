import OrchardCrypto
import OrchardJOSE
import OrchardServiceKit

/// A JWKS file that other programs replace while this program runs.
public final class KeySetFile: ReloadedFile {
    public let path: String
    private let use: KeySetUse
    private let current: Locked<JWKSet>
    /// What was in use at the last report of changes.
    private let reported: Locked<JWKSet>

    /// - Parameters:
    ///   - setting: the setting that names the file, for the error text.
    ///   - use: what the keys are for; each key is tried.
    /// - Throws: `ConfigurationError` when the file is not a key set for this use.
    public init(path: String, setting: String, for use: KeySetUse) throws(ConfigurationError) {
        self.path = path
        self.use = use
        do {
            let keys = try Self.read(path, for: use)
            current = Locked(keys)
            reported = Locked(keys)
        } catch {
            throw ConfigurationError(problems: [.init(key: setting, reason: Self.text(error, path))])
        }
    }

    /// The set that was read last.
    public var keys: JWKSet { current.withLock { $0 } }

    /// Reads the file again; when it is not a key set for its use, the last set stays.
    ///
    /// - Returns: what is wrong with the file; nil when it is right.
    public func reload() -> String? {
        do {
            let keys = try Self.read(path, for: use)
            current.withLock { $0 = keys }
            return nil
        } catch {
            return Self.text(error, path)
        }
    }

    public func nextChange() -> String? {
        let now = keys
        let before = reported.withLock { told in
            defer { told = now }
            return told
        }
        return KeySetChange.text(from: before, to: now)
    }

    /// Symbolic links are followed each time: an orchestrator replaces a mounted secret by changing a link.
    private static func read(_ path: String, for use: KeySetUse) throws -> JWKSet {
        let file = KeyFile(path)
        let set = try file.readSecret(isPrivate: false).withBytes { bytes throws(JOSEError) in try JWKSet(json: bytes) }
        try use.check(set, at: path)
        if set.keys.contains(where: { $0.privateKey != nil }) { try file.requirePrivate() }
        return set
    }

    /// The error text with the file's path, which a ``KeyFileError`` already contains.
    private static func text(_ error: any Error, _ path: String) -> String {
        error is KeyFileError ? "\(error)" : "\(path): \(error)"
    }
}

/// What has changed from one reading of a key set to the next; pure.
enum KeySetChange {
    /// The changed keys by their identifiers, for the log; nil when nothing has changed.
    static func text(from old: JWKSet, to new: JWKSet) -> String? {
        let parts = [
            ("new", new.keys.filter { old[$0.keyID] == nil }), ("gone", old.keys.filter { new[$0.keyID] == nil }),
            ("changed", new.keys.filter { key in old[key.keyID].map { !isSame($0, key) } ?? false }),
        ]
        let text = parts.filter { !$1.isEmpty }.map { "\($0): \($1.map(\.keyID).joined(separator: ", "))" }
        return text.isEmpty ? nil : "its keys have changed; \(text.joined(separator: "; "))"
    }

    private static func isSame(_ one: JWK, _ other: JWK) -> Bool {
        one.publicKey == other.publicKey && one.notBefore == other.notBefore && one.expires == other.expires
    }
}
