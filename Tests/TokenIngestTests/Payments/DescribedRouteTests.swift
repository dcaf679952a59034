import OrchardHTTPAdmin
import OrchardHTTPServer
import OrchardServiceKit
import TestSupport
import Testing

@testable import TokenIngest

@Suite("docs/openapi/token-ingest.yaml", .enabled(if: Descriptions.canBeRead))
struct DescribedRouteTests {
    @Test("describes every route of the public port, and no other")
    func publicPort() async throws {
        let router = try Shop().api.router
        #expect(try await Descriptions.routes(of: "token-ingest", admin: false) == names(of: router))
    }

    @Test("describes every route of the admin port, and no other")
    func adminPort() async throws {
        let router = AdminServer.router(Readiness(), MetricsRegistry())
        #expect(try await Descriptions.routes(of: "token-ingest", admin: true) == names(of: router))
    }

    private func names(of router: Router) -> Set<String> {
        Set(router.endpoints.map { "\($0.method) \($0.pattern)" })
    }
}
