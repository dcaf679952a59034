import OrchardCrypto
import Testing

@testable import Contracts

@Suite("Card data")
struct CardDataTests {
    private func sample() throws -> CardData {
        var builder = CardData.Builder()
        try builder.add(.accountNumber, Array("6200000000000005".utf8))
        try builder.add(.expirationDate, Array("311231".utf8))
        try builder.add(.emvData, Array("nyYI".utf8))
        return try builder.finish()
    }

    @Test("is read field by field as it was encoded")
    func roundTrip() throws {
        let encoded = try sample().withEncoded { SecretBytes(copying: $0) }
        let card = try CardData(encoded: encoded)
        #expect(card.withField(.accountNumber) { Array($0) } == Array("6200000000000005".utf8))
        #expect(card.withField(.emvData) { Array($0) } == Array("nyYI".utf8))
        #expect(card.withField(.cryptogram) { Array($0) } == nil)
        #expect(card.has(.expirationDate) && !card.has(.encryptedPIN))
    }

    @Test(
        "in another layout is refused, and the error contains nothing of it",
        arguments: [
            ([], .unknownVersion), ([2], .unknownVersion), ([1], .missingField), ([1, 1, 0], .malformed),
            ([1, 1, 0, 2, 0x36], .malformed), ([1, 11, 0, 0], .unknownField), ([1, 2, 0, 0, 1, 0, 0], .malformed),
            ([1, 1, 0, 0, 1, 0, 0], .malformed),
        ] as [([UInt8], CardDataError.Code)])
    func refused(bytes: [UInt8], code: CardDataError.Code) {
        var found: CardDataError.Code?
        do { _ = try CardData(encoded: SecretBytes(copying: bytes)) } catch { found = error.code }
        #expect(found == code)
    }

    @Test("that is too large is refused")
    func tooLarge() throws {
        var builder = CardData.Builder()
        try builder.add(.accountNumber, Array("6200000000000005".utf8))
        var found: CardDataError.Code?
        do throws(CardDataError) { try builder.add(.emvData, [UInt8](repeating: 0x41, count: 9_000)) } catch {
            found = error.code
        }
        #expect(found == .tooLarge)
    }
}
