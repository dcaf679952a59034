import Foundation
import OrchardHTTPServer
import OrchardServiceKit
import SandboxProcesses
import TestSupport
import Testing

/// The files of a port's TLS identity: read at the start, and again while the server runs.
@Suite struct TLSFilesTests {
    private let first: TestCertificates
    private let second: TestCertificates

    init() throws {
        first = try TestCertificates()
        second = try TestCertificates()
    }

    /// The problems of the settings, by key.
    private func problems(_ settings: [String: String]) -> [String: String] {
        let environment = Dictionary(
            uniqueKeysWithValues: settings.map { ("HTTP_TLS_" + $0.key.uppercased(), $0.value) })
        do throws(ConfigurationError) {
            _ = try ConfigReader.read(ConfigSources(environment: environment)) {
                HTTPServerConfiguration(reader: $0.scoped(to: "http"), defaultPort: 0)
            }
            return [:]
        } catch {
            return Dictionary(error.problems.map { ($0.key, $0.reason) }) { $0 + "; " + $1 }
        }
    }

    @Test func withoutSettingsThePortIsPlain() throws {
        let (configuration, _) = try ConfigReader.read(ConfigSources(environment: [:])) {
            HTTPServerConfiguration(reader: $0.scoped(to: "http"), defaultPort: 0)
        }
        #expect(configuration.tls == nil && configuration.reloadedFiles.isEmpty)
    }

    @Test func wholeSettingsAreTaken() {
        let all = ["certificate": first.server.certificate, "key": first.server.key, "clients": first.authority]
        #expect(problems(all).isEmpty)
    }

    @Test("handshakes fit into the memory of a service, unless more connections are asked for")
    func connections() throws {
        let files = ["HTTP_TLS_CERTIFICATE": first.server.certificate, "HTTP_TLS_KEY": first.server.key]
        for (settings, expected) in [
            ([:], 10_000), (files, 2_000), (files.merging(["HTTP_CONNECTIONS": "5000"]) { $1 }, 5_000),
        ] {
            let (configuration, _) = try ConfigReader.read(ConfigSources(environment: settings)) {
                HTTPServerConfiguration(reader: $0.scoped(to: "http"), defaultPort: 0)
            }
            #expect(configuration.limits.connections == expected)
        }
    }

    @Test func halvesAreRefusedAtTheStart() {
        #expect(problems(["certificate": first.server.certificate]).keys.sorted() == ["http.tls.key"])
        #expect(problems(["key": first.server.key]).keys.sorted() == ["http.tls.certificate"])
        #expect(problems(["clients": first.authority]).keys.sorted() == ["http.tls.clients"])
    }

    @Test func wrongFilesAreRefusedAtTheStart() throws {
        let (certificate, key) = (first.server.certificate, first.server.key)
        let otherKey = problems(["certificate": certificate, "key": second.server.key])
        #expect(otherKey["http.tls.key"]?.contains("belongs to \(certificate)") == true)
        let noCertificate = problems(["certificate": key, "key": key])
        #expect(noCertificate["http.tls.certificate"]?.contains("no certificate in PEM") == true)
        let noAuthority = problems(["certificate": certificate, "key": key, "clients": key])
        #expect(noAuthority["http.tls.clients"]?.contains("no certificate in PEM") == true)
    }

    @Test func aKeyOfAnotherKindIsRefusedAsSuch() async throws {
        let other = first.server.key + ".rsa"
        let made = try await ProgramRun.outside("openssl", ["genrsa", "-out", other, "2048"])
        try #require(made.status == 0)
        let found = problems(["certificate": first.server.certificate, "key": other])
        #expect(found.keys.sorted() == ["http.tls.key"])
        #expect(found["http.tls.key"]?.contains("belongs to \(first.server.certificate)") == true)
    }

    @Test func aKeyThatOthersMayReadIsRefused() throws {
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: first.server.key)
        let found = problems(["certificate": first.server.certificate, "key": first.server.key])
        #expect(found["http.tls.key"]?.contains("others may read (mode 0644); run: chmod 600") == true)
    }

    @Test func aKeyWithAPasswordIsRefusedAndAsksNobody() async throws {
        let locked = first.server.key + ".locked"
        let made = try await ProgramRun.outside(
            "openssl", ["ec", "-aes256", "-passout", "pass:a", "-in", first.server.key, "-out", locked])
        try #require(made.status == 0)
        let found = problems(["certificate": first.server.certificate, "key": locked])
        #expect(found["http.tls.key"]?.contains("without a password") == true)
    }

    @Test func newFilesAreUsedByNewConnectionsAndWrongOnesByNone() async throws {
        // A server whose identity is replaced in place.
        let place = first.server
        let file = try CheckedFile(TLSFiles(certificate: place.certificate, key: place.key))
        try await withServer(demoRouter(), tls: file) { port in
            #expect(try await isTrusted(port, trusting: first.authority))
            #expect(try await !isTrusted(port, trusting: second.authority))

            try replace(place.certificate, by: "no certificate")
            #expect(await file.reload()?.contains("holds no certificate in PEM") == true)
            #expect(try await isTrusted(port, trusting: first.authority))

            try replace(place.certificate, by: String(contentsOfFile: second.server.certificate, encoding: .utf8))
            // The certificate alone, while the key is still the old one's.
            #expect(await file.reload()?.contains("belongs to") == true)
            #expect(try await isTrusted(port, trusting: first.authority))

            try replace(place.key, by: String(contentsOfFile: second.server.key, encoding: .utf8))
            #expect(await file.reload() == nil)
            #expect(try await isTrusted(port, trusting: second.authority))
            #expect(try await !isTrusted(port, trusting: first.authority))
        }
    }

    @Test func theEndOfTheCertificateIsShown() async throws {
        let metrics = MetricsRegistry()
        let file = try CheckedFile(TLSFiles(certificate: first.server.certificate, key: first.server.key))
        try await withServer(demoRouter(), metrics: metrics, tls: file) { _ in
            let line = metrics.expose().split(separator: "\n").first {
                $0.hasPrefix("http_server_certificate_expiry_seconds{port=\"public\"}")
            }
            let seconds = try #require(line?.split(separator: " ").last.flatMap { Double($0) })
            #expect((86_400...172_800).contains(seconds))
        }
    }

    /// Writes into the same file, so that its mode stays.
    private func replace(_ file: String, by text: String) throws {
        try Data(text.utf8).write(to: URL(filePath: file))
    }

    /// Whether a client that trusts this authority alone trusts the server.
    private func isTrusted(_ port: Int, trusting authority: String) async throws -> Bool {
        let run = try await ProgramRun.outside(
            "sh",
            [
                "-c",
                "timeout 20 openssl s_client -connect 127.0.0.1:\(port) -CAfile '\(authority)' -verify_return_error "
                    + "< /dev/null 2>&1",
            ])
        return run.output.contains("Verify return code: 0 (ok)")
    }
}
