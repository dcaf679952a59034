import OrchardJSON

/// The only data of a card that is visible outside token-ingest and the acquirer's request.
public struct CardSummary: Hashable, Sendable {
    public let network: CardNetwork
    /// The last four digits of the device account number.
    public let lastFour: String
    public let paymentData: PaymentDataType
    /// The card's name, as only the device states it; nil when it states none. It is in the command and in the record of
    /// the fact; the books do not keep it.
    public var claimedDisplayName: ClaimedDisplayName?

    /// - Returns: nil unless `lastFour` is four ASCII digits.
    public init?(network: CardNetwork, lastFour: String, paymentData: PaymentDataType) {
        guard lastFour.utf8.count == 4, lastFour.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        self.network = network
        self.lastFour = lastFour
        self.paymentData = paymentData
    }
}

extension CardSummary: ContractValue {
    public init(json reader: inout JSONReader) throws(JSONError) {
        var (network, lastFour, paymentData): (CardNetwork?, String?, PaymentDataType?)
        var claimed: ClaimedDisplayName?
        try reader.object { reader, name throws(JSONError) in
            switch name {
            case "claimedDisplayName": claimed = ClaimedDisplayName(try reader.string())
            case "lastFour": lastFour = try reader.string(upTo: 4)
            case "network": network = try reader.word()
            case "paymentData": paymentData = try reader.word()
            default: try reader.skip()
            }
        }
        let summary = CardSummary(
            network: try reader.required(network, "network"), lastFour: try reader.required(lastFour, "lastFour"),
            paymentData: try reader.required(paymentData, "paymentData"))
        guard let summary else { throw reader.error(.value, "lastFour is four digits") }
        self = summary
        claimedDisplayName = claimed
    }

    public func write(to object: inout JSONObjectWriter) {
        object.member("claimedDisplayName", claimedDisplayName?.text)
        object.member("lastFour", lastFour)
        object.member("network", network.rawValue)
        object.member("paymentData", paymentData.rawValue)
    }
}

extension CardSummary {
    /// What the gateway and the books keep: without the device's claim.
    public var verified: CardSummary {
        var card = self
        card.claimedDisplayName = nil
        return card
    }

    /// The text of a confirmation, as in "Visa ▪▪▪▪1234 (Apple Pay)".
    ///
    /// The network is the verified one. A customer knows the digits of the card, which only the device states; without
    /// them they are the device account number's. A store's own card has no other name than the claimed one.
    public var confirmation: String {
        let name = network.displayName ?? claimedDisplayName?.name
        let digits = "▪▪▪▪" + (claimedDisplayName?.lastFour ?? lastFour)
        return (name.map { "\($0) " } ?? "") + digits + " (Apple Pay)"
    }
}

/// How a decrypted Apple Pay token proves the card's presence (Apple: `paymentDataType`).
public enum PaymentDataType: String, Sendable, CaseIterable {
    /// An online payment cryptogram and, for some networks, an ECI.
    case threeDSecure = "3DSecure"
    /// EMV data and, in China, the encrypted PIN.
    case emv = "EMV"
}
