import Contracts
import Foundation
import OrchardServiceKit
import TestSupport
import Testing

@testable import TokenIngest

@Suite("Merchant keys, checked at the start")
struct ProcessingKeysTests {
    /// Changes `merchants.json` and reads the keys again.
    private func problems(_ old: String, _ new: String) throws -> String {
        let shop = try Shop()
        try writePrivately("words".utf8, to: shop.folder.appending(path: "words.pem"))
        let certificate = try Shop.read(shop.folder.appending(path: Self.certificate))
        try Shop.write(Array(certificate.prefix(200)), to: shop.folder.appending(path: "cut.pem"))
        let text = String(decoding: try Shop.read(shop.folder.appending(path: "merchants.json")), as: UTF8.self)
        let registry = try MerchantRegistry(parsing: Array(text.replacing(old, with: new).utf8))
        let error = #expect(throws: ConfigurationError.self) { try ProcessingKeys(registry, folder: shop.folder) }
        return error?.description ?? ""
    }

    static let tea = "merchant.com.example.tea/processing-"

    private static let place = "merchants: merchant.com.example.tea, applePay.keys[0]"
    private static let (key, certificate) = ("\(tea)EC_v1-1.key.pem", "\(tea)EC_v1-1.cert.pem")

    @Test(
        "a problem is reported for the file that is wrong",
        arguments: [
            (key, "nowhere.pem", "\(place).key: ", "nowhere.pem: does not exist"),
            (key, "words.pem", "\(place).key: words.pem: ", "no private key in PEM"),
            (key, certificate, "\(place).key: \(certificate): ", "is a certificate, not a private key"),
            (certificate, "nowhere.pem", "\(place).certificate: ", "nowhere.pem: does not exist"),
            (certificate, "words.pem", "\(place).certificate: words.pem: ", "no certificate"),
            (certificate, key, "\(place).certificate: \(key): ", "no certificate"),
            (certificate, "cut.pem", "\(place).certificate: cut.pem: ", "broken block CERTIFICATE"),
            (certificate, "root.cert.pem", "\(place).certificate: root.cert.pem: ", "no merchant certificate of Apple"),
            (
                certificate, "\(tea)EC_v1-2.cert.pem", "\(place): \(key) and \(tea)EC_v1-2.cert.pem: ",
                "the private key does not belong to the certificate"
            ),
            (
                #""merchantIdentifier": "merchant.com.example.tea""#,
                #""merchantIdentifier": "merchant.com.example.cup""#,
                "\(place).certificate: \(certificate): ", "is not for merchant.com.example.cup"
            ),
        ])
    func blame(_ old: String, _ new: String, _ start: String, _ end: String) throws {
        let found = try problems(old, new)
        let lines = found.split(separator: "\n").dropFirst().map { $0.drop(while: { $0 == " " }) }
        #expect(lines.first?.hasPrefix(start) == true, "\(found)")
        #expect(lines.first?.contains(end) == true, "\(found)")
    }

    @Test("every wrong file is reported in one message, also both of a pair")
    func allAtOnce() throws {
        let found = try problems("\(Self.tea)EC_v1-", "nowhere-")
        for file in ["nowhere-1.key.pem", "nowhere-1.cert.pem", "nowhere-2.key.pem", "nowhere-2.cert.pem"] {
            #expect(found.contains("\(file): does not exist"), "\(found)")
        }
        #expect(found.hasPrefix("4 problems"), "\(found)")
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
