import Testing

@testable import Ledger

@Suite("The search for card numbers")
struct CardNumberScanTests {
    @Test(
        "finds what may be a card number",
        arguments: [
            "4111111111111111", "card 4111 1111 1111 1111.", "4111-1111-1111-1111", "\"6212345678901232\"",
            "x:378282246310005,", "5555555555554444 and more", "(6212345678901232)", "at 4111111111111111\n",
            "4111111111111111 ",
            // Beside an expiry date, another date, or an amount.
            "4111 1111 1111 1111 12/27", "2026-11-27 4111111111111111", "3782 822463 10005 07",
            "1 4111-1111-1111-1111 2 3 4",
            "621234 5678901234569 11", "20 30 4222222222222-7", "4111 1111 1111 1111 4111 1111",
        ])
    func found(_ text: String) {
        #expect(CardNumberScan.count(in: Array(text.utf8)) == 1)
    }

    @Test(
        "ignores what is not a card number",
        arguments: [
            // A wrong check digit; too short; too long; not in a network's range; part of an identifier.
            "4111111111111112", "411111111111", "41111111111111111111", "9111111111111111", "a4111111111111111",
            "4111111111111111f", "01010101010181018101010101010101", "777290058110048", "20231114221500", "4111 1111",
            "",
            "41111 111 111  11111",
            // Groups that no card has.
            "41111 11111 111111 22", "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", "12 a4111 1111 1111 1111 12",
            "11 4111 1111 1111 1111b", "4111 111131111 1111 77 77",
        ])
    func none(_ text: String) {
        #expect(CardNumberScan.count(in: Array(text.utf8)) == 0)
    }

    @Test(
        "ignores groups of digits in identifiers, and telephone numbers",
        arguments: [
            // traceparent, as text and behind its length: the span's id with the last group.
            "00-9dfbec8047b83766a7da3cba69e6573e-4139856445557275-01",
            "\0700-f1bc787421f700f65e15ba814a7f6f4f-5598487484483784-01\0\0",
            "{\"id\":\"43419230-7295-4350-adff-197bcc4da062\"}", "\"+4915141853395\"",
        ])
    func identifiers(_ text: String) {
        #expect(CardNumberScan.count(in: Array(text.utf8)) == 0)
    }

    @Test(
        "finds a number in what only resembles an identifier or a telephone number",
        arguments: [
            // A group too short, one too long, a letter that is no hexadecimal digit, more than 15 digits.
            "00-585c988d8d8afbc362833ca2de7a87d-4111111111111111-x1",
            "00-585c988d8d8afbc362833ca2de7a87dff-4111111111111111-x1",
            "0g-585c988d8d8afbc362833ca2de7a87da-4111111111111111-x1", "a-4111111111111111", "+4111111111111111",
            "card=+378282246310005", "card=+4222222222222", "my+4222222222222",
            // In the middle of a longer text.
            "00-585c988d8d8afbc362833ca2de7a87da-4111111111111111-x",
            "ab00-9dfbec8047b83766a7da3cba69e6573e-4139856445557275-01",
            "\"4915141853395\"",
        ])
    func nearly(_ text: String) {
        #expect(CardNumberScan.count(in: Array(text.utf8)) == 1)
    }

    @Test("finds a number at any place among letters, digits and separators", arguments: 0..<48)
    func anywhere(before: Int) {
        let noise = Array("ab 12-34;5- 67--8 9 0é1234567890 2 ".utf8)
        for number in ["4111111111111111", "4111 1111-1111 1111", "378282246310005"] {
            for after in 0..<16 {
                let text =
                    noise.prefix(before % 34) + noise.prefix(before) + Array(";\(number),".utf8) + noise.prefix(after)
                #expect(CardNumberScan.count(in: Array(text)) == 1)
            }
        }
    }

    @Test("counts each number")
    func several() {
        #expect(CardNumberScan.count(in: Array("4111111111111111,5555555555554444; 378282246310005".utf8)) == 3)
        #expect(CardNumberScan.count(in: Array("4111 1111 1111 1111 5555555555554444 12".utf8)) == 2)
    }
}
