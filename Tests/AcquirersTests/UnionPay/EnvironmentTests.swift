import Charging
import Contracts
import Foundation
import KeyFiles
import OrchardHTTPClient
import OrchardServiceKit
import SandboxAcquirer
import TestSupport
import Testing

@testable import Acquirers

/// One gateway serves both: a route's environment says where its charges go, and whose signatures count for them.
@Suite("UnionPay's test and live environments side by side")
struct EnvironmentTests {
    private static let testAccount = "777290058110097"
    /// Another UnionPay with certificates of its own.
    private static let other = Result { try AcquirerPKI(merchants: [testAccount]) }

    private let fixture: UnionPayFixture
    private let pki: AcquirerPKI

    init() throws {
        fixture = try UnionPayFixture()
        pki = try Self.other.get()
        let folder = fixture.folder.url.appending(path: "test")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try pki.save(to: folder)
    }

    private func route(
        _ id: String, _ environment: String, account: String, files: String = ""
    ) -> [String: Any] {
        [
            "id": id, "environment": environment, "acquirer": "unionpay", "account": account, "currencies": ["CNY"],
            "paymentData": ["EMV"],
            "settings": ["signingKey": "\(files)merchant.key", "signingCertificate": "\(files)merchant.pem"],
        ]
    }

    /// A connector of these routes. Without another address there is none for tests.
    private func unionPay(
        _ routes: [[String: Any]]? = nil, live: String = "http://127.0.0.1:9", test: String? = "http://127.0.0.1:9",
        client: HTTPClient = HTTPClient()
    ) throws -> UnionPay {
        let routes =
            routes ?? [
                route("live", "live", account: Sample.account),
                route("test", "test", account: Self.testAccount, files: "test/"),
            ]
        let merchant: [String: Any] = [
            "id": String(repeating: "a", count: 32), "displayName": "Orchard Tea", "countryCode": "CN",
            "networks": ["chinaUnionPay"],
            "applePay": ["merchantIdentifier": "merchant.com.example", "keys": [["key": "apple.pem"]]],
            "routes": routes, "apiKeys": [["id": "shop-1", "sha256": String(repeating: "0", count: 64)]],
        ]
        let registry = try MerchantRegistry(
            parsing: Array(JSONSerialization.data(withJSONObject: ["merchants": [merchant]])))
        var configuration = fixture.unionPay.configuration
        configuration.url = live
        let folder = fixture.folder.url.appending(path: "test")
        configuration.test = test.map {
            UnionPayConfiguration.TestEnvironment(
                url: $0, root: folder.appending(path: "unionpay_root.pem").path,
                middle: folder.appending(path: "unionpay_middle.pem").path)
        }
        return try UnionPay(
            configuration, registry: registry, folder: fixture.folder.url, client: client,
            logger: Logger(label: "test"))
    }

    @Test("A charge goes to its own environment, and the answer of that one counts", .timeLimit(.minutes(5)))
    func charges() async throws {
        let client = HTTPClient()
        let folder = fixture.folder.url
        try await Simulator.sandbox.run(fixture.pki, in: folder) { [pki] live in
            try await Simulator.sandbox.run(pki, in: folder.appending(path: "test")) { test in
                try await withService(client) {
                    for (account, number) in [(Sample.account, "live0001"), (Self.testAccount, "test0001")] {
                        let charge = try Sample.charge(number, account: account, at: UnionPayFixture.now)
                        let card = try Sample.card()
                        let right = try unionPay(live: live, test: test, client: client)
                        #expect(await right.send(charge, card: card, at: UnionPayFixture.now).text == "accepted")
                        // The addresses exchanged: nobody there knows the account, or its answer is not believed.
                        let wrong = try unionPay(live: test, test: live, client: client)
                        let query = await wrong.query(charge, at: UnionPayFixture.now).text
                        #expect(query == "failed" || query == "misconfigured", "\(query)")
                    }
                }
            }
        }
    }

    @Test("The ends of both authorities are watched, beside those of the merchants' certificates")
    func certificates() throws {
        for (test, sections) in [("http://127.0.0.1:9", ["unionpay", "unionpay.test"]), (nil, ["unionpay"])] {
            let routes = test == nil ? [route("live", "live", account: Sample.account)] : nil
            let certificates = try unionPay(routes, test: test).certificates
            let authorities = certificates.filter { $0.merchant == UnionPay.name }
            #expect(authorities.map(\.file) == sections.flatMap { ["\($0).root", "\($0).middle"] })
            #expect(authorities.allSatisfy { $0.notAfter > UnionPayFixture.now.seconds })
            #expect(certificates.count > authorities.count)
        }
    }

    @Test("What one environment signs says nothing about an account of the other")
    func signatures() throws {
        let unionPay = try unionPay()
        for (account, signer, isBelieved) in [
            (Sample.account, fixture.pki, true), (Self.testAccount, pki, true), (Sample.account, pki, false),
            (Self.testAccount, fixture.pki, false),
        ] {
            let charge = try Sample.charge(account: account)
            let body = try SignedMessage(UnionPayFixture.subject(of: charge)).signed(by: signer[.sign]).form
            let notification = try? unionPay.notification(UnionPayFixture.request(body), at: UnionPayFixture.now)
            #expect((notification?.reference == charge.reference) == isBelieved)
        }
    }

    @Test("Routes of both need an address for tests, and an account is in one of them")
    func starts() throws {
        func problems(_ body: @autoclosure () throws -> UnionPay) -> [String] {
            do {
                _ = try body()
                return []
            } catch {
                return (error as? ConfigurationError)?.problems.map(\.key) ?? ["\(error)"]
            }
        }
        #expect(problems(try unionPay(test: nil)) == ["unionpay.test.url"])
        let live = route("live", "live", account: Sample.account)
        #expect(problems(try unionPay([live], test: nil)) == [])
        #expect(problems(try unionPay([route("test", "test", account: Sample.account)], test: nil)) == [])
        #expect(
            problems(try unionPay([live, route("test", "test", account: Sample.account)])) == [
                "merchants: Orchard Tea, routes[1].environment"
            ])
    }
}
