import Foundation
import OrchardHTTPClient
import OrchardHTTPTypes
import SandboxProcesses
import TestSupport
import Testing

/// TLS against `openssl s_server`.
@Suite(.timeLimit(.minutes(4))) struct TLSTests {
    /// Runs a TLS server that answers GET, and asks for a client's certificate where told.
    private func ask(
        host: String = "localhost", demandsClient: Bool = false,
        _ configure: (TestCertificates, inout HTTPClientConfiguration) -> Void
    ) async throws -> HTTPOutcome {
        let files = try TestCertificates()
        let server = try ChildProcess(
            ChildCommand(
                "openssl",
                [
                    "s_server", "-accept", "127.0.0.1:0", "-cert", files.server.certificate, "-key", files.server.key,
                    "-www", "-naccept", "1",
                ] + (demandsClient ? ["-CAfile", files.authority, "-Verify", "1", "-verify_return_error"] : []),
                output: .pipe, errors: .null))
        defer { server.signal(SIGKILL) }
        let port = try #require(await server.line(containing: "ACCEPT")?.split(separator: ":").last)
        var configuration = HTTPClientConfiguration()
        configure(files, &configuration)
        return try await withClient(configuration) {
            await $0.send(HTTPClientRequest(method: .get, url: "https://\(host):\(port)/"))
        }
    }

    @Test func aReplacedFileOfAuthoritiesIsReadAgain() async throws {
        let files = try TestCertificates()
        let trusted = FileManager.default.temporaryDirectory.appendingPathComponent("ca-\(UUID().uuidString).pem")
        defer { try? FileManager.default.removeItem(at: trusted) }
        try Data(contentsOf: URL(fileURLWithPath: files.client.certificate)).write(to: trusted)
        let server = try ChildProcess(
            ChildCommand(
                "openssl",
                [
                    "s_server", "-accept", "127.0.0.1:0", "-cert", files.server.certificate, "-key", files.server.key,
                    "-www",
                ],
                output: .pipe, errors: .null))
        defer { server.signal(SIGKILL) }
        let port = try #require(await server.line(containing: "ACCEPT")?.split(separator: ":").last)
        let request = HTTPClientRequest(method: .get, url: "https://localhost:\(port)/")
        var configuration = HTTPClientConfiguration()
        configuration.caFile = trusted.path
        try await withClient(configuration) { client in
            #expect(await client.send(request).failure?.code == .tls)
            try Data(contentsOf: URL(fileURLWithPath: files.authority)).write(to: trusted)
            try await eventually(within: .seconds(30)) { await client.send(request).response?.status == .ok }
        }
    }

    @Test func aServerOfOurOwnAuthorityIsTrusted() async throws {
        let outcome = try await ask { $1.caFile = $0.authority }
        #expect(outcome.response?.status == .ok, "\(outcome)")
    }

    // Failure scenario 7.
    @Test func aServerOfAnotherAuthorityGetsNothing() async throws {
        let outcome = try await ask { $1.caFile = $0.client.certificate }
        #expect(outcome.report == "notSent" && outcome.failure?.code == .tls, "\(outcome)")
    }

    @Test func theSystemsAuthoritiesDoNotKnowOurs() async throws {
        let outcome = try await ask { _, _ in }
        #expect(outcome.report == "notSent" && outcome.failure?.code == .tls, "\(outcome)")
    }

    @Test func theNameMustBeTheCertificates() async throws {
        let outcome = try await ask(host: "127.0.0.2") { $1.caFile = $0.authority }
        #expect(outcome.report == "notSent", "\(outcome)")
    }

    @Test func theClientShowsItsCertificate() async throws {
        let outcome = try await ask(demandsClient: true) { files, configuration in
            configuration.caFile = files.authority
            configuration.clientCertificate = files.client.certificate
            configuration.clientKey = files.client.key
        }
        let page = try #require(outcome.response, "\(outcome)")
        #expect(String(decoding: page.body, as: UTF8.self).replacing(" ", with: "").contains("Subject:CN=client"))
    }

    @Test func withoutItThereIsNoAnswer() async throws {
        let outcome = try await ask(demandsClient: true) { $1.caFile = $0.authority }
        #expect(outcome.response == nil, "\(outcome)")
    }

    @Test func aMissingKeyFileSendsNothing() async throws {
        let outcome = try await ask(demandsClient: true) { files, configuration in
            configuration.caFile = files.authority
            configuration.clientCertificate = files.client.certificate
            configuration.clientKey = "/nonexistent.key"
        }
        #expect(outcome.report == "notSent" && outcome.failure?.code == .tls, "\(outcome)")
    }
}
