import OrchardHTTPTypes
import Testing

@testable import SandboxDemo

@Suite("Who may call the shop's server")
struct StorefrontGuardTests {
    private let gate = StorefrontGuard(origins: WebShop(port: 8080, sessionsPort: 8443).origins)

    @Test(
        "its own pages may, and programs that send no origin",
        arguments: [
            ["Host": "localhost:8080"], ["Host": "127.0.0.1:8080"],
            ["Host": "localhost:8080", "Origin": "http://localhost:8080"],
            ["Host": "localhost:8080", "Sec-Fetch-Site": "same-origin"],
            // A link from elsewhere opens the shop.
            ["Host": "localhost:8080", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"],
        ])
    func allowed(_ fields: [String: String]) throws {
        try gate.check(request(fields))
    }

    @Test(
        "other names of this machine and pages of other sites may not",
        arguments: [
            ([:], "host-unknown"), (["Host": "evil.example:8080"], "host-unknown"),
            (["Host": "localhost:9999"], "host-unknown"), (["Host": "localhost"], "host-unknown"),
            (["Host": "localhost:8080", "Origin": "https://evil.example"], "origin-refused"),
            (["Host": "localhost:8080", "Origin": "null"], "origin-refused"),
            (["Host": "localhost:8080", "Origin": "http://localhost:8081"], "origin-refused"),
            (["Host": "localhost:8080", "Origin": "https://localhost:8080"], "origin-refused"),
            (
                ["Host": "localhost:8080", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"],
                "origin-refused"
            ),
        ] as [([String: String], String)])
    func refused(_ fields: [String: String], _ code: String) throws {
        let problem = #expect(throws: Problem.self) { try gate.check(request(fields)) }
        #expect(problem?.code == code)
    }

    private func request(_ fields: [String: String]) -> HTTPRequest {
        var request = HTTPRequest(method: .get, target: "/api/products")
        for (name, value) in fields { request.fields[name] = value }
        return request
    }
}
