/// Why a request cannot be made; nothing has been sent then.
struct RequestError: Error, Hashable, Sendable {
    /// Without anything of the card.
    let reason: String
    /// Whether the charge itself is why, so that no later try can succeed; else our set-up is.
    let isPermanent: Bool

    /// A fault of our set-up, which somebody can mend.
    init(_ reason: String) {
        self.reason = reason
        isPermanent = false
    }

    /// A charge that the acquirer's form cannot hold.
    init(unsendable reason: String) {
        self.reason = reason
        isPermanent = true
    }
}
