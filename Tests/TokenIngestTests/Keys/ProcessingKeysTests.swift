import Contracts
import Foundation
import OrchardServiceKit
import Testing

@testable import TokenIngest

@Suite("Merchant keys, checked at the start")
struct ProcessingKeysTests {
    /// Changes `merchants.json` and reads the keys again.
    private func problems(_ old: String, _ new: String) throws -> String {
        let shop = try Shop()
        let text = String(decoding: try Shop.read(shop.folder.appending(path: "merchants.json")), as: UTF8.self)
        let registry = try MerchantRegistry(parsing: Array(text.replacing(old, with: new).utf8))
        let error = #expect(throws: ConfigurationError.self) { try ProcessingKeys(registry, folder: shop.folder) }
        return error?.description ?? ""
    }

    static let tea = "merchant.com.example.tea/processing-"

    @Test("a key that is not there is named")
    func missing() throws {
        let found = try problems("\(Self.tea)EC_v1-1.key.pem", "nowhere.pem")
        #expect(found.contains("merchant.com.example.tea, applePay.keys[0]"))
        #expect(found.contains("nowhere.pem"))
    }

    @Test("a certificate of another key is refused")
    func otherCertificate() throws {
        let found = try problems("\(Self.tea)EC_v1-1.cert.pem", "\(Self.tea)EC_v1-2.cert.pem")
        #expect(found.contains("does not belong to the certificate"))
    }

    @Test("a certificate of another merchant is refused")
    func otherMerchant() throws {
        let found = try problems(
            #""merchantIdentifier": "merchant.com.example.tea""#, #""merchantIdentifier": "merchant.com.example.cup""#)
        #expect(found.contains("is not for merchant.com.example.cup"))
    }

    @Test("one key for two merchants is refused")
    func sharedKey() throws {
        let shop = try Shop()
        let text = String(decoding: try Shop.read(shop.folder.appending(path: "merchants.json")), as: UTF8.self)
        let certificates = try Regex(#", "certificate": "[^"]*""#)
        let shared = text.replacing(certificates, with: "")
            .replacing("merchant.com.example.silk/processing-", with: Self.tea)
        let registry = try MerchantRegistry(parsing: Array(shared.utf8))
        let error = #expect(throws: ConfigurationError.self) { try ProcessingKeys(registry, folder: shop.folder) }
        #expect(error?.problems.count == 3)
        #expect(error?.description.contains("another merchant has the same key") == true)
    }
}
