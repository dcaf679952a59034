import Charging
import Contracts
import Foundation
import OrchardCrypto
import OrchardHTTPClient
import OrchardServiceKit
import SandboxAcquirer
import TestSupport
import Testing

@testable import Acquirers

@Suite("UnionPay's configuration")
struct ConfigurationTests {
    private let fixture: UnionPayFixture

    init() throws { fixture = try UnionPayFixture() }

    private func path(_ name: String) -> String { fixture.folder.url.appending(path: name).path }

    private func read(_ changes: [String: String]) throws -> UnionPayConfiguration {
        let environment = [
            "UNIONPAY_URL": "https://gateway.95516.com", "UNIONPAY_NOTIFICATIONS": "https://pay.example.com/notify",
            "UNIONPAY_ROOT": path("unionpay_root.pem"), "UNIONPAY_MIDDLE": path("unionpay_middle.pem"),
        ].merging(changes) { $1 }
        return try ConfigReader.read(ConfigSources(environment: environment)) { UnionPayConfiguration(reader: $0) }.0
    }

    /// The problems of a start with that configuration and those routes.
    private func problems(
        route: [String: Any] = [:], _ change: (inout UnionPayConfiguration) -> Void = { _ in }
    ) throws -> [String] {
        var configuration = fixture.unionPay.configuration
        change(&configuration)
        let registry = try UnionPayFixture.registry(route)
        var problems = AcquirerDirectory.problems(of: registry)
        _ = problems.gather { () throws(ConfigurationError) in
            try configuration.connector(
                for: registry, in: fixture.folder.url, client: HTTPClient(), logger: Logger(label: "test"))
        }
        return problems.map { "\($0.key): \($0.reason)" }
    }

    @Test("Defaults are those of the API mode, and one address is the base of both requests")
    func defaults() throws {
        let configuration = try read(["UNIONPAY_URL": "https://gateway.95516.com/", "UNIONPAY_TIMEOUT_QUERY": "3s"])
        #expect(configuration.saleProduct == "000802")
        #expect(configuration.queryProduct == "000000")
        #expect(configuration.saleTimeout == .seconds(30))
        #expect(configuration.queryTimeout == .seconds(3))
        #expect(
            configuration.address("queryTrans.do", in: .test) == "https://gateway.95516.com/gateway/api/queryTrans.do")
    }

    @Test("Every problem is told at once")
    func allAtOnce() throws {
        #expect {
            try read([
                "UNIONPAY_URL": "http://gateway.95516.com", "UNIONPAY_ROOT": "/nowhere",
                "UNIONPAY_NOTIFICATIONS": "https://pay.example.com/" + String(repeating: "x", count: 256),
                "UNIONPAY_MIDDLE": "", "UNIONPAY_TIMEOUT_SALE": "soon", "UNIONPAY_TIMEOUT_CONNECT": "8s",
            ])
        } throws: { error in
            Set((error as? ConfigurationError)?.problems.map(\.key) ?? []) == [
                "unionpay.url", "unionpay.root", "unionpay.notifications", "unionpay.middle", "unionpay.timeout.sale",
                "unionpay.timeout.connect",
            ]
        }
    }

    @Test("The test environment has an address and certificates of its own, all of them or none")
    func testEnvironment() throws {
        #expect(try read([:]).test == nil)
        let whole = [
            "UNIONPAY_TEST_URL": "https://gateway.test.95516.com", "UNIONPAY_TEST_ROOT": path("impostor_root.pem"),
            "UNIONPAY_TEST_MIDDLE": path("unionpay_middle.pem"),
        ]
        let configuration = try read(whole)
        #expect(configuration.test?.root == path("impostor_root.pem"))
        #expect(configuration.address("a", in: .test) == "https://gateway.test.95516.com/gateway/api/a")
        #expect(configuration.address("a", in: .live) == "https://gateway.95516.com/gateway/api/a")
        for name in whole.keys {
            let error = #expect(throws: ConfigurationError.self) { try read(whole.filter { $0.key != name }) }
            #expect(error?.problems.map(\.key) == ["unionpay.test.url"])
        }
    }

    @Test("Plain http is for this machine alone", arguments: ["http://127.0.0.1:8583", "http://localhost:1"])
    func loopback(url: String) throws {
        #expect(try read(["UNIONPAY_URL": url, "UNIONPAY_NOTIFICATIONS": url]).url == url)
    }

    @Test(
        "A route that UnionPay cannot serve stops the start",
        arguments: [
            ("account", ["77729005811004"], "15 letters or digits"), ("account", ["77729005811004-"], "15 letters"),
            ("currencies", ["CNY", "JPY"], "CNY alone"), ("paymentData", ["3DSecure"], "EMV card data alone"),
            ("signingKey", ["nowhere.key"], "].settings.signingKey: /"),
            (
                "signingKey", ["unionpay_sign.key"],
                "].settings: unionpay_sign.key and merchant.pem: the private key does not belong"
            ),
            ("signingKey", ["words.key"], "].settings.signingKey: words.key: this is no private key"),
            ("signingKey", ["open.key"], "chmod 600"),
            ("signingKey", ["merchant.pem"], "].settings.signingKey: merchant.pem: is a certificate"),
            ("signingKey", ["small.key"], "].settings.signingKey: small.key: the key has 1024 bits"),
            ("signingKey", ["curve.key"], "no RSA key"),
            (
                "signingCertificate", ["merchant.key"],
                "].settings.signingCertificate: merchant.key: this is no certificate"
            ),
            ("signingCertificate", ["nowhere.pem"], "nowhere.pem: does not exist"),
            (
                "signingCertificate", ["unionpay_sign.pem"],
                "].settings: merchant.key and unionpay_sign.pem: the private key does not"
            ),
        ])
    func routes(name: String, values: [String], text: String) throws {
        try RSAPrivateKey.generate(bits: 1024).pem.withBytes {
            try writePrivately($0, to: URL(filePath: path("small.key")))
        }
        try P256PrivateKey.generate().pem.withBytes { try writePrivately($0, to: URL(filePath: path("curve.key"))) }
        try writePrivately("no key".utf8, to: URL(filePath: path("words.key")))
        try Data("no key".utf8).write(to: URL(filePath: path("open.key")))
        let isList = ["currencies", "paymentData"].contains(name)
        var changes: [String: Any] = [name: isList ? values as Any : values[0] as Any]
        if name.hasPrefix("signing") {
            let settings = ["signingKey": "merchant.key", "signingCertificate": "merchant.pem"]
            changes = ["settings": settings.merging([name: values[0]]) { $1 }]
        }
        let problems = try problems(route: changes)
        #expect(problems.count == 1)
        #expect(problems.first?.contains(text) == true, "\(problems)")
        #expect(problems.first?.contains("Orchard Tea, routes[0]") == true)
    }

    @Test("Settings of a route that UnionPay does not know, or misses, stop the start")
    func settings() throws {
        #expect(
            try problems(route: ["settings": ["signingKeys": "merchant.key"]]) == [
                "merchants: Orchard Tea, routes[0].settings.signingKeys: no such member; known are signingCertificate, "
                    + "signingKey",
                "merchants: Orchard Tea, routes[0].settings.signingKey: the name of a file is required",
                "merchants: Orchard Tea, routes[0].settings.signingCertificate: the name of a file is required",
            ])
    }

    @Test("A route to another acquirer is none of UnionPay's business, and the directory's to find")
    func otherAcquirer() throws {
        #expect(try problems(route: ["acquirer": "paypal", "settings": ["x": 1]]).count == 1)
        let directory = AcquirerDirectory([fixture.unionPay])
        #expect(directory["unionpay"]?.name == "unionpay")
        #expect(directory["paypal"] == nil)
        #expect(try directory[#require(Sample.charge().reference)]?.name == "unionpay")
        #expect(AcquirerDirectory.problems(of: try UnionPayFixture.registry()) == [])
        let problems = AcquirerDirectory.problems(of: try UnionPayFixture.registry(["acquirer": "paypal"]))
        #expect(problems.map(\.key) == ["merchants: Orchard Tea, routes[0].acquirer"])
        #expect(problems.first?.reason.contains("unionpay") == true)
    }

    @Test("A route that names a store's own cards stops the start: UnionPay takes none")
    func privateLabel() throws {
        let registry = try UnionPayFixture.registry(["networks": ["chinaUnionPay", "privateLabel"]])
        let problem = try #require(AcquirerDirectory.problems(of: registry).first)
        #expect(problem.key == "merchants: Orchard Tea, routes[0].networks")
        #expect(problem.reason.hasPrefix("unionpay takes cards of amex, chinaUnionPay"))
        let meadow = AcquirerDirectory.problems(
            of: registry, for: [MeadowConfiguration.self, UnionPayConfiguration.self])
        #expect(meadow.count == 1)
        let own = try UnionPayFixture.registry(
            ["acquirer": "meadow", "currencies": ["JPY"], "paymentData": ["3DSecure"], "networks": ["privateLabel"]])
        #expect(AcquirerDirectory.problems(of: own, for: [MeadowConfiguration.self]) == [])
    }

    @Test(
        "Certificates that lead nowhere stop the start",
        arguments: [
            ("unionpay_middle.pem", "unionpay_middle.pem", "unionpay.root"),
            ("unionpay_root.pem", "unionpay_sign.pem", "unionpay.middle"),
            ("impostor_root.pem", "unionpay_middle.pem", "unionpay.middle"),
            ("merchant.key", "unionpay_middle.pem", "unionpay.root"),
            ("unionpay_root.pem", "nowhere.pem", "unionpay.middle"),
        ])
    func certificates(root: String, middle: String, key: String) throws {
        let problems = try problems {
            $0.root = path(root)
            $0.middle = path(middle)
        }
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix(key) == true, "\(problems)")
    }

    @Test("Problems of certificates and of routes come together")
    func together() throws {
        let problems = try problems(route: ["currencies": ["JPY"]]) { $0.root = "/nowhere" }
        #expect(problems.count == 2)
    }
}
