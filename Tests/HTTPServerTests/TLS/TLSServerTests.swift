import Foundation
import OrchardHTTPClient
import OrchardHTTPServer
import OrchardHTTPTypes
import OrchardServiceKit
import SandboxProcesses
import TestSupport
import Testing

/// A port with TLS, seen by libcurl and by the command `openssl s_client`.
@Suite struct TLSServerTests {
    private let certificates: TestCertificates

    init() throws { certificates = try TestCertificates() }

    private func files(clients: String? = nil) -> TLSFiles {
        TLSFiles(certificate: certificates.server.certificate, key: certificates.server.key, clients: clients)
    }

    /// What `openssl s_client` prints about a connection, and its status.
    private func connect(_ port: Int, _ arguments: [String]) async throws -> ProgramRun {
        try await ProgramRun.outside(
            "sh",
            [
                "-c",
                """
                printf 'GET /healthz HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\n\\r\\n' \
                | timeout 20 openssl s_client -connect 127.0.0.1:\(port) -CAfile '\(certificates.authority)' \
                -verify_return_error -verify_hostname localhost -ign_eof \(arguments.joined(separator: " ")) 2>&1
                """,
            ])
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"]) func answersOverTLS(version: String) async throws {
        try await withServer(demoRouter(), tls: try CheckedFile(files())) { port in
            let run = try await connect(port, [version, "-alpn", "http/1.1"])
            #expect(
                run.output.contains("HTTP/1.1 200 ") && run.output.contains("ALPN protocol: http/1.1"), "\(run.output)")
            #expect(run.output.contains("Verify return code: 0 (ok)"))
        }
    }

    @Test(
        "what is weak is refused",
        arguments: [
            ["-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0"], ["-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-SHA"],
            ["-tls1_2", "-cipher", "AES128-GCM-SHA256"], ["-tls1_3", "-groups", "P-521"], ["-alpn", "h2"],
        ]) func refused(arguments: [String]) async throws
    {
        let metrics = MetricsRegistry()
        try await withServer(demoRouter(), metrics: metrics, tls: try CheckedFile(files())) { port in
            let run = try await connect(port, arguments)
            #expect(!run.output.contains("HTTP/1.1 200 ") && run.status != 0)
            try await eventually { metrics.expose().contains("http_server_failed_handshakes_total 1\n") }
        }
    }

    @Test func bodiesLargerThanRecordsAndSocketsComeBackWhole() async throws {
        var limits = HTTPServerLimits()
        limits.bodyBytes = 1 << 20
        try await withServer(demoRouter(), limits: limits, tls: try CheckedFile(files())) { port in
            try await withClient { client in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for size in [0, 1, 16_384, 16_385, 200_000, 900_000] {
                        group.addTask {
                            let body = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ size) }
                            for _ in 0..<3 {
                                let outcome = await client.send(
                                    HTTPClientRequest(
                                        method: .post, url: "https://localhost:\(port)/echo", body: body))
                                #expect(outcome.response?.body == body)
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
        }
    }

    @Test func aClientOfPlainHTTPGetsNoAnswer() async throws {
        try await withServer(demoRouter(), tls: try CheckedFile(files())) { port in
            let connection = try RawConnection(port: port)
            connection.send("GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            #expect(await !connection.readToEnd().contains("HTTP/1.1 200"))
        }
    }

    @Test func aHandshakeHasTheTimeOfTheFirstByte() async throws {
        var limits = HTTPServerLimits()
        limits.firstByteTime = .milliseconds(200)
        try await withServer(demoRouter(), limits: limits, tls: try CheckedFile(files())) { port in
            let connection = try RawConnection(port: port)
            // The head of a record that never comes.
            connection.send("\u{16}\u{03}\u{01}")
            #expect(await connection.readToEnd().isEmpty)
        }
    }

    @Test func aLongPollIsCancelledWhenItsClientLeaves() async throws {
        let isCancelled = Locked(false)
        var router = Router()
        router.on(.get, "/wait", whenClientLeaves: .cancel) { _, _ in
            try? await Task.sleep(for: .seconds(60))
            isCancelled.withLock { $0 = Task.isCancelled }
            return .text("late\n")
        }
        try await withServer(router, tls: try CheckedFile(files())) { port in
            try await withClient { client in
                let outcome = await client.send(
                    HTTPClientRequest(
                        method: .get, url: "https://localhost:\(port)/wait", timeout: .milliseconds(500)))
                #expect(outcome.response == nil)
                try await eventually { isCancelled.withLock { $0 } }
            }
        }
    }

    @Test("with clients' authorities, only their clients are answered")
    func clients() async throws {
        let others = try TestCertificates()
        try await withServer(demoRouter(), tls: try CheckedFile(files(clients: certificates.authority))) { port in
            for (client, isAnswered) in [(certificates.client, true), (others.client, false), (nil, false)] {
                try await withClient(client) { http in
                    let outcome = await http.send(
                        HTTPClientRequest(method: .get, url: "https://localhost:\(port)/healthz"))
                    #expect((outcome.response?.status == .ok) == isAnswered)
                }
            }
        }
    }

    private func withClient(
        _ identity: TestCertificates.Identity? = nil, _ body: @Sendable (HTTPClient) async throws -> Void
    ) async throws {
        var configuration = HTTPClientConfiguration()
        configuration.caFile = certificates.authority
        configuration.clientCertificate = identity?.certificate
        configuration.clientKey = identity?.key
        let client = HTTPClient(configuration: configuration, logger: Logger(label: "test", level: .critical))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await client.run() }
            try await body(client)
            group.cancelAll()
        }
    }
}

extension HTTPOutcome {
    fileprivate var response: HTTPResponse? {
        if case .answered(let answer) = self { return answer.response }
        return nil
    }
}
