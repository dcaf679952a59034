import Testing

@testable import Contracts

@Suite("The language of the sheet")
struct SheetLanguageTests {
    @Test(
        "is the first known one that the device accepts, else English",
        arguments: [
            ("zh-CN,zh;q=0.9,en;q=0.8", SheetLanguage.chinese), ("zh-Hans", .chinese), ("fr, zh;q=0.5", .chinese),
            ("en-GB,zh", .english), ("fr", .english), ("", .english), (",;,", .english),
        ])
    func accepting(_ field: String, _ language: SheetLanguage) {
        #expect(SheetLanguage(accepting: field) == language)
    }

    @Test("names another payee in its own way")
    func payee() {
        #expect(SheetLanguage.english.texts.payee("Tea House", "Orchard") == "Tea House (via Orchard)")
        #expect(SheetLanguage.chinese.texts.payee("茶馆", "果园") == "茶馆（由果园收款）")
    }

    @Test("has every text in each language, and no two languages share one")
    func texts() {
        let all = SheetLanguage.allCases.map { language in
            let texts = language.texts
            return [
                texts.subtotal, texts.discount, texts.shipping, texts.tax, texts.addressUnserviceable,
                texts.addressChanged, texts.couponCodeInvalid, texts.couponCodeExpired, texts.cardTypeNotAccepted,
                texts.cardNotAccepted, texts.nameMissing, texts.phoneticNameMissing, texts.phoneMissing,
                texts.emailMissing, texts.countryMissing, texts.streetMissing, texts.cityMissing, texts.orderTaken,
                texts.declined, texts.confirming,
            ]
        }
        #expect(all.allSatisfy { $0.allSatisfy { !$0.isEmpty } })
        #expect(Set(all.joined()).count == all.joined().count)
    }
}
