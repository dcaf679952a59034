import OrchardCompression
import OrchardCrypto

/// The dictionaries that records are packed with.
///
/// One that rows were written with is never changed: those rows could not be read any more. Another one gets the next
/// number, and a migration that older programs do not accept, since they cannot read what it packs.
enum RecordDictionary {
    static let v1Number: UInt8 = 1
    static let v1: PackingDictionary = {
        guard let bytes = Base64.decode(v1Text) else { preconditionFailure("the dictionary is Base64") }
        return PackingDictionary(bytes)
    }()
}
