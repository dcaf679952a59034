/// The member `paymentMethod`: what the device says about the card, unsigned.
public struct ClaimedPaymentMethod: Hashable, Sendable {
    public let displayName: String?
    public let network: String?
    /// `debit`, `credit`, `prepaid` or `store`.
    public let type: String?

    public init(displayName: String?, network: String?, type: String?) {
        self.displayName = displayName
        self.network = network
        self.type = type
    }
}
