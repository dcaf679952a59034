import Foundation
import OrchardServiceKit
import TestSupport
import Testing

@testable import KafkaBridge

/// A file that a setting of librdkafka names and that cannot be read is told when the configuration is read: by its path,
/// beside all other problems.
@Suite struct KafkaFilesTests {
    /// Settings that name a file, in librdkafka's CONFIGURATION.md.
    private static let settings = [
        "ssl.ca.location", "ssl.certificate.location", "ssl.key.location", "ssl.keystore.location", "ssl.crl.location",
        "https.ca.location", "sasl.kerberos.keytab", "sasl.oauthbearer.assertion.private.key.file",
        "sasl.oauthbearer.assertion.file", "sasl.oauthbearer.assertion.jwt.template.file",
    ]

    private static func variable(_ name: String) -> String {
        "KAFKA_PROPERTIES_" + String(name.uppercased().map { $0 == "." ? "_" : $0 })
    }

    /// The problems of a configuration with these settings, read as from the environment.
    private func problems(_ settings: [String: String]) -> [ConfigurationError.Problem] {
        var environment = ["KAFKA_BOOTSTRAP_SERVERS": "127.0.0.1:1"]
        for (name, value) in settings {
            environment[Self.variable(name)] = value
        }
        do throws(ConfigurationError) {
            _ = try ConfigReader.read(ConfigSources(environment: environment)) {
                KafkaConfiguration(reader: $0, clientID: "t")
            }
            return []
        } catch {
            return error.problems
        }
    }

    @Test(arguments: settings)
    func `a file that is not there is named`(_ name: String) {
        let variable = Self.variable(name)
        #expect(
            problems([name: "/nowhere/ca.pem"]) == [
                .init(
                    key: "kafka.properties.\(name)",
                    reason: "\"/nowhere/ca.pem\" does not exist (environment \(variable))")
            ])
    }

    @Test func `all of them are told at once, with the other problems`() {
        let found = problems([
            "ssl.ca.location": "/nowhere/a", "ssl.key.location": "/nowhere/b", "acks": "1", "security.protocol": "ssl",
        ])
        #expect(
            found.map(\.key) == [
                "kafka.properties.acks", "kafka.properties.ssl.ca.location", "kafka.properties.ssl.key.location",
            ])
    }

    @Test(arguments: settings)
    func `a file that is there is good, and a folder only of authorities`(_ name: String) throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("file.pem", "x")
        #expect(problems([name: file]).isEmpty)
        #expect(problems([name: folder.url.path]).isEmpty == ["ssl.ca.location", "https.ca.location"].contains(name))
    }

    @Test(arguments: [
        ("ssl.ca.location", "probe", true), ("ssl.key.location", "probe", false), ("ssl.key.location", "", true),
        ("ssl.key.location", " /nowhere", false), ("ssl.key.location", " /dev/null", true),
        ("sasl.kerberos.keytab", "FILE:/dev/null", true), ("sasl.kerberos.keytab", "FILE:/nowhere", false),
        ("ssl.key.password", "/nowhere", true), ("plugin.library.paths", "monitoring-interceptor", true),
    ])
    func `values are understood as librdkafka does`(_ name: String, _ value: String, _ isGood: Bool) {
        #expect(problems([name: value]).isEmpty == isGood)
    }
}
