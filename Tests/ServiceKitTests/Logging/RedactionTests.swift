import Testing

@testable import OrchardServiceKit

@Suite("Redaction, the log's second protection")
struct RedactionTests {
    @Test(
        "masked",
        arguments: [
            ("card 4111111111111111 declined", "card [card number] declined"),
            ("card=6222988812340003,", "card=[card number],"),
            ("4111 1111 1111 1111", "[card number]"), ("4111-1111-1111-1111.", "[card number]."),
            ("on 12 4111 1111 1111 1111", "on 12 [card number]"), ("x-378282246310005", "x-[card number]"),
            ("pan_4222222222222", "pan_[card number]"), ("8171999900000026", "[card number]"),
            ("two: 4111111111111111 5555555555554444", "two: [card number] [card number]"),
            ("Bearer eyJhbGciOiJFUzI1NiJ9.eyJhIjoxfQ.c2ln-_x and", "Bearer [token] and"),
            ("jwe eyJhIjoxfQ..aXY.Y3Q.dGFn", "jwe [token]"),
            ("key -----BEGIN PRIVATE KEY-----\nMIGH\n-----END PRIVATE KEY-----\nrest", "key [key]\nrest"),
            ("cut -----BEGIN EC PRIVATE KEY-----\nMIGH", "cut [key]"),
        ])
    func masked(_ text: String, _ expected: String) {
        #expect(Redaction.mask(text) == expected)
    }

    @Test(
        "left alone",
        arguments: [
            "", "payment accepted", "order 0190f3d2c8b87d4e9a6f4111111111111111ab", "card 4111111111111112",
            "offset 1234567890123", "at 2026-01-02T03:04:05.678Z", "1735787045678", "amount 123456", "eyJ is a start",
            "a.b.c", "41111111111111111111111", "café 日本",
        ])
    func leftAlone(_ text: String) {
        #expect(Redaction.mask(text) == text)
    }
}
