import Foundation
import OrchardServiceKit
import Testing

@testable import KafkaBridge

@Suite struct KafkaConfigurationTests {
    private func refusal(_ extra: [String: String]) -> KafkaError? {
        let configuration = KafkaConfiguration(bootstrapServers: "127.0.0.1:1", clientID: "t", extra: extra)
        do throws(KafkaError) {
            _ = try KafkaProducer(configuration, logger: testLogger)
            return nil
        } catch {
            return error
        }
    }

    @Test func `every problem is reported at once`() throws {
        let error = try #require(refusal(["acks": "1", "enable.auto.commit": "true", "no.such.setting": "x"]))
        #expect(error.code == .invalidConfiguration)
        for word in ["acks", "enable.auto.commit", "no.such.setting"] { #expect(error.reason.contains(word)) }
    }

    @Test(arguments: KafkaConfiguration.reserved.sorted())
    func `what correctness rests on cannot be set from outside`(_ name: String) {
        #expect(refusal([name: "1"])?.code == .invalidConfiguration)
    }

    @Test func `security settings are passed through`() throws {
        let error = try #require(
            refusal(["security.protocol": "ssl", "ssl.ca.location": "/nonexistent/ca.pem"]))
        #expect(error.reason.contains("ssl.ca.location"))
    }

    @Test func `a secret is not repeated in an error`() throws {
        let error = try #require(refusal(["ssl.key.pem": "hunter2", "security.protocol": "ssl"]))
        #expect(!error.description.contains("hunter2"))
    }

    @Test(arguments: [
        ("ssl.key.password", true), ("ssl.key.pem", true), ("sasl.password", true), ("sasl.oauthbearer.config", true),
        ("sasl.oauthbearer.client.secret", true), ("sasl.oauthbearer.token.endpoint.url", true),
        ("sasl.jaas.config", true), ("sasl.username", false), ("ssl.key.location", false),
        ("security.protocol", false),
    ])
    func `a setting that may hold a secret is hidden in the effective configuration and in errors`(
        _ name: String, _ isHidden: Bool
    ) throws {
        #expect(KafkaConfiguration.isSecret(name) == isHidden)
        // A file that is named must be there.
        guard !name.hasSuffix("location") else { return }
        let file = try ConfigFile(path: "t.json", json: Data(#"{"kafka.properties": {"\#(name)": "hunter2"}}"#.utf8))
        let sources = ConfigSources(environment: ["KAFKA_BOOTSTRAP_SERVERS": "a:9092"], file: file)
        let (_, effective) = try ConfigReader.read(sources) { KafkaConfiguration(reader: $0, clientID: "t") }
        #expect(effective.description.contains("hunter2") != isHidden)
    }

    @Test(arguments: [
        (0x0200_02ff as Int32, ["sasl.mechanism": "SCRAM-SHA-256"], 1),
        (0x0206_01ff, ["sasl.mechanism": "SCRAM-SHA-256"], 0),
        (0x0200_02ff, ["sasl.mechanisms": "scram-sha-512"], 1),
        (0x0200_02ff, ["sasl.mechanism": "PLAIN"], 0),
        (0x0209_00ff, ["partition.assignment.strategy": "cooperative-sticky"], 1),
        (0x020a_00ff, ["partition.assignment.strategy": "cooperative-sticky"], 0),
        (0x0200_02ff, ["partition.assignment.strategy": "range"], 0),
        (0x0200_02ff, ["sasl.mechanism": "SCRAM-SHA-256", "partition.assignment.strategy": "cooperative-sticky"], 2),
    ])
    func `known weaknesses of the library's version are reported`(
        _ version: Int32, _ settings: [String: String], _ count: Int
    ) {
        #expect(KafkaLibrary.warnings(version: version, settings: settings).count == count)
    }
}
