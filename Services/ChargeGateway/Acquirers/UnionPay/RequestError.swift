/// Why a request cannot be made; nothing has been sent then.
struct RequestError: Error, Hashable, Sendable {
    /// Without anything of the card.
    let reason: String

    init(_ reason: String) { self.reason = reason }
}
