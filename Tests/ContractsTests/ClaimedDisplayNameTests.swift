import Testing

@testable import Contracts

@Suite("The name of a card that a device claims")
struct ClaimedDisplayNameTests {
    @Test(
        "is bounded plain text with four digits at most",
        arguments: [
            ("Visa 1234", "Visa 1234"),
            ("  China   Merchants\u{3000}Bank •••• 1234 ", "China Merchants Bank •••• 1234"),
            ("一卡通 1234", "一卡通 1234"), ("Carte Bancaire d’Été", "Carte Bancaire d’Été"),
            // A card number, in one piece, in groups, hidden between letters, in other digits.
            ("Visa 4111111111111111", "Visa 1111"), ("Visa 4111 1111 1111 1111", "Visa 1111"),
            ("V4i1s1a1-1111-1111-1234", "Visa---1234"), ("Visa ４１１１１１１１１１１１１２３４", "Visa １２３４"),
            ("Visa ٤١١١١١١١١١١١١٢٣٤", "Visa ١٢٣٤"), ("Visa ④①①①¹¹¹¹𝟏𝟏𝟏𝟏1234", "Visa 1234"),
            ("Capital 360 Visa 1234", "Capital Visa 1234"),
            // What would change how the text around it reads.
            ("Visa\u{0}\n\u{7}\u{1B}[31m", "Visa[31m"), ("\u{202E}asiV\u{202C}\u{2066}", "asiV"),
            ("Vi\u{200B}sa\u{FEFF}\u{E000}\u{2028}", "Visa"),
            ("4111111111111111", nil), ("", nil), ("••••", nil), ("\u{202E}", nil),
        ])
    func cleaned(_ claimed: String, _ text: String?) {
        #expect(ClaimedDisplayName(claimed)?.text == text)
        if let text { #expect(ClaimedDisplayName(text)?.text == text, "cleaned once is cleaned for ever") }
    }

    @Test("has 64 characters at most")
    func long() throws {
        let name = try #require(ClaimedDisplayName(String(repeating: "长", count: 1_000)))
        #expect(name.text.unicodeScalars.count == 64 && name.text.utf8.count <= 256)
    }

    @Test(
        "tells the last four digits if it ends with them and has no others",
        arguments: [
            ("Visa 1234", "1234"), ("Visa •1234", "1234"), ("Visa 123", nil), ("Visa 1234 Gold", nil),
            ("Visa 1 234", nil), ("Visa １２３４", nil), ("Visa", nil),
        ])
    func lastFour(_ claimed: String, _ digits: String?) {
        #expect(ClaimedDisplayName(claimed)?.lastFour == digits)
    }
}
