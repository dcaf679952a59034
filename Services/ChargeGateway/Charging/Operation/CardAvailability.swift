/// Whether the sealed card data of an operation can be opened now.
public enum CardAvailability: Hashable, Sendable {
    /// Opened, or not looked at because nothing is to be sent.
    case ready
    /// Sealed to a key that is not here: our fault, and it may come yet.
    case keyUnknown
    /// No key will ever open it: failed authentication or malformed.
    case unreadable
}
