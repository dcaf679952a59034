import OrchardHTTPAdmin
import OrchardHTTPServer
import OrchardServiceKit
import TestSupport
import Testing

@testable import ChargeGateway

@Suite("docs/openapi/charge-gateway.yaml", .enabled(if: Descriptions.canBeRead))
struct DescribedRouteTests {
    @Test("describes every route of the public port, and no other")
    func publicPort() async throws {
        try await TestGateway.with([ScriptedAcquirer()], hasTimers: false) { gateway in
            let described = try await Descriptions.routes(of: "charge-gateway", admin: false)
            #expect(described == names(of: gateway.router))
        }
    }

    @Test("describes every route of the admin port, and no other")
    func adminPort() async throws {
        let router = AdminServer.router(Readiness(), MetricsRegistry())
        #expect(try await Descriptions.routes(of: "charge-gateway", admin: true) == names(of: router))
    }

    private func names(of router: Router) -> Set<String> {
        Set(router.endpoints.map { "\($0.method) \($0.pattern)" })
    }
}
