import Contracts
import Foundation
import KeyFiles
import OrchardCrypto
import OrchardHTTPClient
import OrchardServiceKit
import SandboxPKI
import SandboxWallet
import TestSupport
import Testing

@testable import TokenIngest

@Suite("Merchant identities")
struct MerchantIdentitiesTests {
    private let shop: Shop
    private static let tea = "merchant.com.example.tea"
    private static let place = "merchants: \(tea), applePay.identities[0]"
    private static let entry = #"{"key": "\#(tea)/identity.key.pem", "certificate": "\#(tea)/identity.cert.pem"}"#

    init() throws { shop = try Shop() }

    private func registry(_ change: (String) -> String) throws -> MerchantRegistry {
        let text = String(decoding: try Shop.read(shop.folder.appending(path: "merchants.json")), as: UTF8.self)
        return try MerchantRegistry(parsing: Array(change(text).utf8))
    }

    private func save(_ name: String, from before: Int64, to after: Int64) throws {
        try shop.wallet.identity(of: Self.tea, at: shop.now.seconds, from: before, to: after).save(
            certificate: shop.folder.appending(path: "\(name).cert.pem"),
            key: shop.folder.appending(path: "\(name).key.pem"))
    }

    @Test(
        "are refused with the file that is wrong",
        arguments: [
            (entry, #"{"key": "nowhere.pem", "certificate": "\#(tea)/identity.cert.pem"}"#, ".key: ", "does not exist"),
            (
                entry, #"{"key": "\#(tea)/identity.key.pem"}"#, ".key: \(tea)/identity.key.pem: ",
                "its certificate is missing; name the merchant_id.cer that Apple made for it"
            ),
            (
                "\(tea)/identity.cert", "\(tea)/processing-RSA_v1-1.cert",
                ".certificate: ", "is it the Payment Processing one?"
            ),
            (
                "\(tea)/identity.cert", "merchant.com.example.silk/identity.cert", ".certificate: ",
                "the certificate is not for \(tea)"
            ),
            (
                "\(tea)/identity.key", "\(tea)/processing-RSA_v1-1.key", ": ",
                "the private key does not belong to the certificate"
            ),
            ("\(tea)/identity.key", "\(tea)/processing-EC_v1-1.key", ".key: ", "RSA"),
            ("\(tea)/identity.key.pem", "open.pem", ".key: ", "chmod 600"),
        ])
    func wrong(_ old: String, _ new: String, _ start: String, _ end: String) throws {
        try FileManager.default.copyItem(
            at: shop.folder.appending(path: "\(Self.tea)/identity.key.pem"),
            to: shop.folder.appending(path: "open.pem"))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: shop.file("open.pem"))
        let registry = try registry { $0.replacing(old, with: new) }
        let error = #expect(throws: ConfigurationError.self) {
            try MerchantIdentities(registry, folder: shop.folder)
        }
        let found = error?.description ?? ""
        #expect(found.contains(Self.place + start) && found.contains(end), "\(found)")
    }

    @Test("are none of the keys that open tokens")
    func processing() throws {
        let registry = try registry {
            $0.replacing("\(Self.tea)/processing-RSA_v1-1.", with: "\(Self.tea)/identity.")
        }
        let error = #expect(throws: ConfigurationError.self) { try ProcessingKeys(registry, folder: shop.folder) }
        #expect(error?.description.contains("it belongs in applePay.identities") == true)
    }

    @Test("replace each other: of those that are valid the newest is shown, whatever their order")
    func rotation() throws {
        try save("old", from: 400, to: 100)
        try save("new", from: 2, to: 700)
        try save("next", from: -3, to: 800)
        let names = ["new", "old", "next"].map { #"{"key": "\#($0).key.pem", "certificate": "\#($0).cert.pem"}"# }
        let registry = try registry { $0.replacing(Self.entry, with: names.joined(separator: ", ")) }
        let identities = try MerchantIdentities(registry, folder: shop.folder)
        func serial(_ name: String) throws -> String {
            try X509Certificate(file: Shop.read(shop.folder.appending(path: "\(name).cert.pem"))).serialNumberDecimal
        }
        let day: Int64 = 86_400
        for (days, name) in [(-10, "old"), (0, "new"), (99, "next"), (101, "next"), (750, "next")] as [(Int64, String)]
        {
            let shown = try identities.identity(of: shop.merchants[0], at: shop.now.seconds + days * day)
            #expect(try shown.certificate.serialNumberDecimal == serial(name), "\(days)")
        }
        for days in [-500, 900] as [Int64] {
            #expect(throws: SessionRefusal.identityExpired) {
                try identities.identity(of: shop.merchants[0], at: shop.now.seconds + days * day)
            }
        }
        #expect(identities.certificates.count == 4)
    }

    @Test("are known to keys check and keys list, with their end and their renewal")
    func report() throws {
        let file = try MerchantsFile(path: shop.file("merchants.json"))
        let paths = ["identity.cert.pem", "identity.key.pem"].map { shop.file("\(Self.tea)/\($0)") }
        func check(after days: Int64) -> [KeyReport] {
            KeyCheck(
                paths: paths, password: nil, merchants: KnownKeys(file), at: shop.now + .seconds(days * 86_400)
            ).reports
        }
        let reports = check(after: 0)
        #expect(reports.count == 1 && reports[0].problems == [], "\(reports.map(\.text))")
        for word in [
            "RSA, 2048 bits (Merchant Identity, sessions for the web)", "belongs to the certificate",
            "applePay.identities[0]", "days left",
        ] {
            #expect(reports[0].text.contains(word), "\(word) is missing in \(reports[0].text)")
        }
        #expect(!reports[0].text.contains("publicKeyHash"))
        let problems = check(after: 750).flatMap(\.problems)
        #expect(problems.count == 1 && problems[0].contains("keys csr --use identity"), "\(problems)")

        let list = KeyList(file, at: shop.now + .seconds(800 * 86_400)).reports
        let identity = list.first { $0.title.contains("\(Self.tea), applePay.identities[0]") }
        #expect(identity?.problems.first?.contains("the certificate ended on") == true)
    }

    @Test("that are not in merchants.json yet are told where they belong")
    func notYet() throws {
        try save("new", from: 2, to: 700)
        let file = try MerchantsFile(path: shop.file("merchants.json"))
        let reports = KeyCheck(
            paths: [shop.file("new.cert.pem"), shop.file("new.key.pem")], password: nil, merchants: KnownKeys(file),
            at: shop.now
        ).reports
        #expect(reports.first?.text.contains("not yet; add it to applePay.identities of") == true)
    }
}
