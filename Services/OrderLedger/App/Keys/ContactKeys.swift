import KeyFiles
import OrchardServiceKit

/// The files of the keys that contacts are sealed to.
struct ContactKeys: Sendable {
    let set: KeySetFile
    /// The key sets that this instance rotates; nil when another one does.
    let rotated: SealingKeyFiles?

    /// Configuration keys:
    /// - `contact.keys`: the keys with their private halves, a JWKS file
    /// - `contact.rotate` (false): makes the next key a day ahead and destroys those that are over
    /// - `contact.public`: where `contact.rotate` publishes their public halves
    init?(reader: ConfigReader) {
        let path = reader.file(
            "contact.keys", doc: "The keys that contacts are sealed to, with their private halves, a JWKS file.")
        let rotates = reader.bool(
            "contact.rotate",
            doc:
                "Make the next contact key a day ahead and destroy the old; in one order-ledger, on a folder all share.",
            default: false)
        let published = reader.optionalFile(
            "contact.public", doc: "Where contact.rotate publishes the public halves, for token-ingest.")
        if rotates, published == nil { reader.report("contact.public", "is required with contact.rotate") }
        guard !path.isEmpty else { return nil }
        do throws(ConfigurationError) {
            set = try KeySetFile(path: path, setting: "contact.keys", for: .opening)
        } catch {
            for problem in error.problems { reader.report(problem.key, problem.reason) }
            return nil
        }
        rotated = rotates ? published.map { SealingKeyFiles(.contacts, privateSet: path, publicSet: $0) } : nil
    }
}
