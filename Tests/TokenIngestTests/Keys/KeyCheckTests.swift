import Contracts
import Foundation
import KeyFiles
import OrchardCrypto
import OrchardJSON
import SandboxProcesses
import SandboxWallet
import TestSupport
import Testing

@testable import TokenIngest

@Suite("token-ingest keys check and list")
struct KeyCheckTests {
    private let shop: Shop
    private static let tea = "merchant.com.example.tea/processing-"

    private static let century: Int64 = 100 * 366 * 86_400

    init() throws { shop = try Shop() }

    private func check(
        _ files: [String], password: String? = nil, merchants: Bool = false, after wait: Int64 = 0
    ) throws -> [KeyReport] {
        KeyCheck(
            paths: files.map(shop.file), password: password.map { KeyFile(shop.file($0)) },
            merchants: merchants ? KnownKeys(try MerchantsFile(path: shop.file("merchants.json"))) : nil,
            at: shop.now + .seconds(wait)
        ).reports
    }

    private func openssl(_ arguments: String) throws {
        let run = try ProgramRun("openssl", arguments.split(separator: " ").map(String.init), in: shop.folder)
        try #require(run.status == 0, "\(run.output)")
    }

    private func bundle(_ name: String, of pair: String = "EC_v1-1") throws {
        let files = "-inkey \(Self.tea)\(pair).key.pem -in \(Self.tea)\(pair).cert.pem"
        try openssl("pkcs12 -export \(files) -passout pass:secret -out \(name).p12")
        try writePrivately(try Shop.read(shop.folder.appending(path: "\(name).p12")), to: url("\(name).p12"))
        try writePrivately("secret\n".utf8, to: url("password"))
    }

    private func url(_ name: String) -> URL { shop.folder.appending(path: name) }

    @Test("keys and certificates are put together in any order, and everything about them is told")
    func pairs() throws {
        let names = ["EC_v1-1.cert.pem", "RSA_v1-1.key.pem", "EC_v1-1.key.pem", "RSA_v1-1.cert.pem"]
        let reports = try check(names.map { Self.tea + $0 }, merchants: true)
        #expect(reports.count == 2)
        #expect(reports.flatMap(\.problems) == [])
        let text = reports.map(\.text).joined()
        for word in [
            "EC, P-256", "RSA, 2048 bits", "merchant.com.example.tea\n", "belongs to the certificate",
            Hex.encode(SHA256.hash("merchant.com.example.tea")), "applePay.keys[0]", "applePay.keys[2]", "days left",
        ] {
            #expect(text.contains(word), "\(word) is missing in \(text)")
        }
        let token = try JSONValue(parsing: shop.mint(order: Shop.order()).json)
        let hash = (token["paymentData"] ?? token)["header"]?["publicKeyHash"]?.string
        #expect(reports.contains { $0.rows.contains { $0.name == "publicKeyHash" && $0.value == hash } })
    }

    @Test("Apple's .cer and PKCS#12 are read, the second with its password")
    func forms() throws {
        try openssl("x509 -in \(Self.tea)EC_v1-1.cert.pem -outform der -out apple_pay.cer")
        #expect(try check(["\(Self.tea)EC_v1-1.key.pem", "apple_pay.cer"]).flatMap(\.problems) == [])
        for pair in ["EC_v1-2", "RSA_v1-1"] {
            try bundle(pair, of: pair)
            let reports = try check(["\(pair).p12"], password: "password", merchants: true)
            #expect(reports.count == 1 && reports.flatMap(\.problems) == [], "\(reports.map(\.text))")
        }
        #expect(try check(["EC_v1-2.p12"]).first?.problems.first?.contains("--password-file") == true)
    }

    private static let mistakes: [([String], Int64, String)] = [
        (["EC_v1-1.cert.pem"], 0, "the private key is missing"),
        (["EC_v1-1.key.pem"], 0, "the certificate is missing"),
        (["EC_v1-1.key.pem", "EC_v1-2.cert.pem"], 0, "belongs to none of the certificates"),
        (["EC_v1-1.key.pem", "EC_v1-1.cert.pem"], century, "token-ingest keys csr"),
        (["EC_v1-1.key.pem", "EC_v1-1.cert.pem"], -century, "is this machine's clock right"),
        (["nowhere.pem"], 0, "does not exist"),
    ]

    @Test("what is wrong is told with what to do", arguments: mistakes)
    func wrong(_ names: [String], _ wait: Int64, _ problem: String) throws {
        let reports = try check(names.map { Self.tea + $0 }, after: wait)
        #expect(reports.flatMap(\.problems).contains { $0.contains(problem) }, "\(reports.map(\.text))")
    }

    @Test("a certificate that ends within 30 days is a problem, and one that has ended")
    func expiry() throws {
        let certificate = try X509Certificate(file: Shop.read(url("\(Self.tea)EC_v1-1.cert.pem")))
        let left = certificate.notAfter - shop.now.seconds
        let names = ["\(Self.tea)EC_v1-1.key.pem", "\(Self.tea)EC_v1-1.cert.pem"]
        #expect(try check(names, after: left - 31 * 86_400).flatMap(\.problems) == [])
        #expect(try check(names, after: left - 10 * 86_400).flatMap(\.problems).first?.contains("in 10 days") == true)
        #expect(try check(names, after: left + 1).flatMap(\.problems).first?.contains("ended on") == true)
    }

    @Test("a certificate of no merchant, one of another merchant, and an open key file are problems")
    func foreign() throws {
        try openssl(
            "req -x509 -key \(Self.tea)EC_v1-1.key.pem -out plain.pem -subj /CN=plain")
        let plain = try check(["\(Self.tea)EC_v1-1.key.pem", "plain.pem"])
        #expect(plain.flatMap(\.problems).first?.contains("no merchant certificate of Apple") == true)

        let text = String(decoding: try Shop.read(url("merchants.json")), as: UTF8.self)
        let others = text.replacing(
            #""merchantIdentifier": "merchant.com.example.tea""#, with: #""merchantIdentifier": "a""#)
        try Shop.write(Array(others.utf8), to: url("merchants.json"))
        let names = ["\(Self.tea)EC_v1-1.key.pem", "\(Self.tea)EC_v1-1.cert.pem"]
        let reports = try check(names, merchants: true)
        #expect(reports.flatMap(\.problems).contains { $0.contains("has this merchant identifier") })

        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: shop.file(names[0]))
        #expect(try check(names).flatMap(\.problems).contains { $0.contains("chmod 600") })
    }

    @Test("keys list reads every key of every merchant as the service does")
    func list() throws {
        try bundle("tea")
        let text = String(decoding: try Shop.read(url("merchants.json")), as: UTF8.self)
        let changed = text.replacing(
            #"{"key": "\#(Self.tea)EC_v1-1.key.pem", "certificate": "\#(Self.tea)EC_v1-1.cert.pem"}"#,
            with: #"{"key": "tea.p12", "passwordFile": "password"}"#
        ).replacing("\(Self.tea)EC_v1-2.key.pem", with: "nowhere.pem")
        try Shop.write(Array(changed.utf8), to: url("merchants.json"))
        let reports = KeyList(try MerchantsFile(path: shop.file("merchants.json")), at: shop.now).reports
        #expect(reports.count == 8)
        #expect(reports[0].title.hasSuffix("tea.p12") && reports[0].problems == [], "\(reports[0].text)")
        #expect(reports[1].problems.first?.contains("nowhere.pem: does not exist") == true)
        #expect(reports.flatMap(\.problems).count == 1)
    }

    @Test(
        "what is wrong with a key in PKCS#12 is told with the member of merchants.json that must change",
        arguments: [
            (#""key": "tea.p12""#, "name the file with its password"),
            (#""key": "tea.p12", "passwordFile": "wrong""#, "the password of the PKCS#12 file is another one"),
            (#""key": "tea.p12", "passwordFile": "nowhere""#, "nowhere: does not exist"),
            (#""key": "\#(tea)EC_v1-1.key.pem", "passwordFile": "password""#, "is not PKCS#12 and needs no password"),
            (#""key": "silk.p12", "passwordFile": "password""#, "is not for merchant.com.example.tea"),
        ])
    func bundles(_ entry: String, _ problem: String) throws {
        try bundle("tea")
        try openssl("pkcs12 -export \(Self.silk) -passout pass:secret -out silk.p12")
        try writePrivately(try Shop.read(url("silk.p12")), to: url("silk.p12"))
        try writePrivately("other".utf8, to: url("wrong"))
        let text = String(decoding: try Shop.read(url("merchants.json")), as: UTF8.self)
        let changed = text.replacing(
            #""key": "\#(Self.tea)EC_v1-1.key.pem", "certificate": "\#(Self.tea)EC_v1-1.cert.pem""#, with: entry)
        try Shop.write(Array(changed.utf8), to: url("merchants.json"))
        let reports = KeyList(try MerchantsFile(path: shop.file("merchants.json")), at: shop.now).reports
        #expect(reports[0].problems.count == 1 && reports[0].problems[0].contains(problem), "\(reports[0].text)")
    }

    private static let silk =
        "-inkey merchant.com.example.silk/processing-EC_v1-1.key.pem -in merchant.com.example.silk/processing-EC_v1-1.cert.pem"
}
