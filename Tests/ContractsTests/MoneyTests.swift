import Testing

@testable import Contracts

@Suite("Money")
struct MoneyTests {
    private static func currency(_ code: String) throws -> Currency { try #require(Currency(code)) }

    @Test(
        "knows the exponent and number of each currency",
        arguments: [
            ("EUR", 2, "978"), ("JPY", 0, "392"), ("KWD", 3, "414"), ("CNY", 2, "156"), ("CLF", 4, "990"),
            ("ALL", 2, "008"), ("UGX", 0, "800"), ("HUF", 2, "348"), ("IQD", 3, "368"),
        ])
    func exponent(code: String, digits: Int, numeric: String) throws {
        let currency = try Self.currency(code)
        #expect(currency.exponent == digits)
        #expect(currency.numeric == numeric)
        #expect(Currency(numeric: numeric) == currency)
    }

    @Test("knows no other codes", arguments: ["", "cny", "XXX", "XAU", "CNYY", "156"])
    func unknown(code: String) {
        #expect(Currency(code) == nil)
    }

    @Test("lists every currency once")
    func table() {
        #expect(Currency.all.count == 164)
        #expect(Currency.all.allSatisfy { Currency($0.code) == $0 && Currency(numeric: $0.numeric) == $0 })
        #expect(MemoryLayout<Currency>.size == 1, "it is in every amount")
        #expect(Set(Currency.all.map(\.numeric)).count == 164)
        #expect(Currency.cny == Currency("CNY"))
    }

    @Test(
        "is written and read with exactly the currency's digits",
        arguments: [
            (1234, "CNY", "12.34"), (5, "CNY", "0.05"), (0, "CNY", "0.00"), (-5, "CNY", "-0.05"), (1500, "JPY", "1500"),
            (1234, "KWD", "1.234"), (.max, "CNY", "92233720368547758.07"), (.min, "JPY", "-9223372036854775808"),
        ] as [(Int64, String, String)])
    func decimal(units: Int64, code: String, text: String) throws {
        let money = Money(minorUnits: units, currency: try Self.currency(code))
        #expect(money.decimal == text)
        #expect(Money(decimal: text, currency: money.currency) == money)
    }

    @Test(
        "is not read from text with fewer decimals, which may be minor units",
        arguments: [("12", "CNY"), ("1200", "CNY"), ("12.3", "CNY"), ("0", "CNY"), ("12.00", "JPY"), ("1.23", "KWD")])
    func otherDecimals(text: String, code: String) throws {
        #expect(Money(decimal: text, currency: try Self.currency(code)) == nil)
    }

    @Test(
        "reports the expected form",
        arguments: [("CNY", "\"100.00\""), ("JPY", "\"100\""), ("KWD", "\"100.000\"")])
    func form(code: String, example: String) throws {
        #expect(Money.decimalForm(in: try Self.currency(code)).hasSuffix(example))
    }

    @Test(
        "that is malformed is refused",
        arguments: [
            "", "-", ".", "1.", ".5", "1.234", "01", "1,000", "1e2", "+1", " 1", "1 ", "--1", "0x10", "１",
            "92233720368547758.08", "-0.00",
        ])
    func refused(text: String) {
        #expect(Money(decimal: text, currency: .cny) == nil)
    }

    @Test("does not overflow silently")
    func overflow() {
        let most = Money(minorUnits: .max, currency: .cny)
        #expect(most.adding(Money(minorUnits: 1, currency: .cny)) == nil)
        #expect(most.multiplied(by: 2) == nil)
        #expect(Money(minorUnits: .min, currency: .cny).negated == nil)
        #expect(most.adding(Money(minorUnits: -1, currency: .cny))?.minorUnits == Int64.max - 1)
    }

    @Test("of two currencies is never added")
    func currencies() async {
        await #expect(processExitsWith: .failure) {
            guard let yen = Currency("JPY") else { return }
            _ = Money(minorUnits: 1, currency: .cny).adding(Money(minorUnits: 1, currency: yen))
        }
    }
}
