import OrchardHTTPAdmin
import OrchardHTTPServer
import OrchardServiceKit
import TestSupport
import Testing

@testable import OrderLedger

@Suite("docs/openapi/order-ledger.yaml", .enabled(if: Descriptions.canBeRead))
struct DescribedRouteTests {
    @Test("describes every route of the public port, and no other")
    func publicPort() async throws {
        try await TestShop.with { shop in
            let described = try await Descriptions.routes(of: "order-ledger", admin: false)
            #expect(described == names(of: shop.router))
        }
    }

    @Test("describes every route of the admin port, and no other")
    func adminPort() async throws {
        let router = AdminServer.router(Readiness(), MetricsRegistry())
        #expect(try await Descriptions.routes(of: "order-ledger", admin: true) == names(of: router))
    }

    private func names(of router: Router) -> Set<String> {
        Set(router.endpoints.map { "\($0.method) \($0.pattern)" })
    }
}
