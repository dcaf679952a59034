/// All that anything but token-ingest and the acquirer's request may see of a card.
public struct CardSummary: Hashable, Sendable {
    public let network: CardNetwork
    /// The last four digits of the device account number.
    public let lastFour: String
    public let paymentData: PaymentDataType

    /// - Returns: nil unless `lastFour` is four ASCII digits.
    public init?(network: CardNetwork, lastFour: String, paymentData: PaymentDataType) {
        guard lastFour.utf8.count == 4, lastFour.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        self.network = network
        self.lastFour = lastFour
        self.paymentData = paymentData
    }
}
