import Contracts
import Foundation
import KeyFiles
import OrchardServiceKit
import SandboxWallet
import Testing

@testable import TokenIngest

@Suite("merchants.json, read again while token-ingest runs")
struct MerchantReloadTests {
    private func write(_ merchants: [MerchantID], _ shop: Shop) throws {
        try Data(Shop.registry(merchants)).write(to: shop.folder.appending(path: "merchants.json"), options: .atomic)
    }

    @Test(
        "a ticket's merchant that is missing on this worker gives 503 and a /readyz report, no rejection")
    func missing() async throws {
        let shop = try Shop()
        let known = shop.endpoint.merchants
        try write(Array(shop.merchants.prefix(1)), shop)
        #expect(await known.reload() == nil)
        let token = try shop.mint(order: Shop.order(), merchant: 1)
        let ticket = try shop.ticket(order: Shop.order(), merchant: 1)
        let answer = try await shop.pay(token.json, ticket: ticket)
        #expect(answer.status == 503, "\(answer)")
        #expect(answer["outcome"] == "notTaken")
        #expect(shop.sink.messages.isEmpty, "no rejection is published")
        var component: ReadinessReport.Component? { shop.readiness.report.components["merchants"] }
        #expect(component?.isReady == false)
        #expect(component?.reason.contains(shop.merchants[1].description) == true)

        try write(shop.merchants, shop)
        #expect(await known.reload() == nil)
        shop.endpoint.missingMerchants.update(at: shop.now.seconds) {
            MerchantID($0).flatMap { known.current.registry[$0] } != nil
        }
        #expect(component?.isReady == true)
        #expect(try await shop.pay(token.json, ticket: ticket).status == 202)
    }

    @Test("a missing merchant is forgotten when its last ticket expires")
    func forgotten() async throws {
        let readiness = Readiness()
        let missing = MissingMerchants(
            path: "merchants.json", prefix: "token_ingest", metrics: MetricsRegistry(), readiness: readiness)
        missing.record("m", until: 100)
        missing.record("m", until: 90)
        missing.update(at: 99) { _ in false }
        #expect(readiness.report.isReady == false)
        missing.update(at: 100) { _ in false }
        #expect(readiness.report.isReady)
    }

    @Test("a new file with wrong keys leaves merchants and keys unchanged")
    func wrongKey() async throws {
        let shop = try Shop()
        let key = shop.folder.appending(path: "merchant.com.example.silk/processing-EC_v1-1.key.pem")
        try Data("no key".utf8).write(to: key, options: .atomic)
        try write(Array(shop.merchants.reversed()), shop)
        let text = await shop.endpoint.merchants.reload()
        #expect(text?.contains("applePay.keys[0]") == true, "\(text ?? "")")
        let token = try shop.mint(order: Shop.order(), merchant: 1)
        #expect(try await shop.pay(token.json, ticket: shop.ticket(order: Shop.order(), merchant: 1)).status == 202)
    }

    @Test("the expiry of the certificates is known")
    func certificates() throws {
        let certificates = try Shop().endpoint.merchants.current.certificates
        #expect(certificates.count == 8)
        #expect(certificates.filter { $0.file.contains("identity") }.count == 2)
        #expect(certificates.allSatisfy { $0.notAfter > 0 && $0.file.hasSuffix(".cert.pem") })
    }
}
