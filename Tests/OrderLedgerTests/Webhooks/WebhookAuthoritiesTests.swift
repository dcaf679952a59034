import Contracts
import KeyFiles
import Ledger
import OrchardCrypto
import OrchardHTTPClient
import OrchardHTTPServer
import OrchardHTTPTypes
import OrchardServiceKit
import TestSupport
import Testing

@testable import OrderLedger

@Suite("webhooks.ca")
struct WebhookAuthoritiesTests {
    @Test("a shop's server is trusted by the authority that is named, and by none of the system's")
    func authorities() async throws {
        let certificates = try TestCertificates()
        var router = Router()
        router.on(.post, "/webhooks") { _, _ in HTTPResponse(status: .noContent) }
        var configuration = HTTPServerConfiguration(host: "127.0.0.1", port: 0)
        configuration.tls = try CheckedFile(
            TLSFiles(certificate: certificates.server.certificate, key: certificates.server.key))
        let logger = Logger(label: "test", level: .critical)
        let shop = HTTPServer(configuration: configuration, router: router, logger: logger)
        let named = WebhookClients(authorities: certificates.authority, logger: logger, metrics: MetricsRegistry())
        let system = WebhookClients(logger: logger, metrics: MetricsRegistry())
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await shop.run() }
            for clients in [named, system] {
                group.addTask { try await clients.toAny.run() }
                group.addTask { try await clients.toPublic.run() }
            }
            defer { group.cancelAll() }
            let target = WebhookTarget(
                merchant: MerchantID(high: 1, low: 1),
                endpoint: WebhookEndpoint(
                    id: "erp", url: "https://localhost:\(try await shop.boundPort)/webhooks", secrets: [], events: [],
                    allowPrivateAddress: true),
                keys: [HMACKey(SecretBytes(copying: [UInt8](repeating: 5, count: 32)))])
            let delivered = await named.send([1], id: EventID(high: 1, low: 1), to: target, at: .now)
            #expect(delivered.result == .answered(status: 204), "\(delivered)")
            let refused = await system.send([1], id: EventID(high: 1, low: 1), to: target, at: .now)
            #expect(refused.result == .failed)
            #expect(refused.reason?.contains("certificate") == true, "\(refused)")
        }
    }
}
