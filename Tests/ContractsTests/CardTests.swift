import Testing

@testable import Contracts

@Suite("Cards")
struct CardTests {
    @Test(
        "have the network of their number's range",
        arguments: [
            ("4111111111111111", .visa), ("5555555555554444", .masterCard), ("2223003122003222", .masterCard),
            ("378282246310005", .amex), ("6200000000000005", .chinaUnionPay), ("8171990000000001", .chinaUnionPay),
            ("3530111333300000", .jcb), ("6011000990139424", .discover), ("6759649826438453", .maestro),
            ("2200123456789010", .mir), ("9999999999999999", nil), ("411", nil), ("41111111111x1111", nil),
        ] as [(String, CardNetwork?)])
    func network(number: String, network: CardNetwork?) {
        #expect(CardNetwork(cardNumber: Array(number.utf8)) == network)
    }

    @Test("have the names of PassKit, which differ from the web's in case alone")
    func passKit() {
        for network in CardNetwork.allCases {
            #expect(network.passKitName.lowercased() == network.rawValue.lowercased())
        }
    }

    @Test(
        "are confirmed with the verified network and the digits that the customer knows",
        arguments: [
            (.visa, "Visa 1234", "Visa ▪▪▪▪1234 (Apple Pay)"),
            (.visa, nil, "Visa ▪▪▪▪0005 (Apple Pay)"),
            (.chinaUnionPay, "招商银行信用卡", "UnionPay ▪▪▪▪0005 (Apple Pay)"),
            (.visa, "MasterCard 1234", "Visa ▪▪▪▪1234 (Apple Pay)"),
            (.privateLabel, "Tea Card •• 1234", "Tea Card ▪▪▪▪1234 (Apple Pay)"),
            (.privateLabel, nil, "▪▪▪▪0005 (Apple Pay)"),
        ] as [(CardNetwork, String?, String)])
    func confirmation(_ network: CardNetwork, _ claimed: String?, _ text: String) throws {
        var card = try #require(CardSummary(network: network, lastFour: "0005", paymentData: .emv))
        card.claimedDisplayName = claimed.flatMap { ClaimedDisplayName($0) }
        #expect(card.confirmation == text)
        #expect(try CardSummary(parsing: card.json) == card)
        #expect(card.verified.claimedDisplayName == nil)
    }

    @Test("show four digits, never more", arguments: ["", "123", "12345", "12a4", "１２３４"])
    func lastFour(text: String) {
        #expect(CardSummary(network: .visa, lastFour: text, paymentData: .emv) == nil)
    }
}
