import KafkaBridge
import OrchardHTTPServer
import OrchardServiceKit
import Testing

@testable import TokenIngest

@Suite("token-ingest's configuration")
struct IngestConfigurationTests {
    private func read(_ environment: [String: String]) throws -> IngestConfiguration {
        try ConfigReader.read(ConfigSources(environment: environment)) { IngestConfiguration(reader: $0) }.0
    }

    @Test("needs five settings; the rest has defaults for one machine")
    func defaults() throws {
        let configuration = try read([
            "MERCHANTS": "/dev/null", "TICKET_KEYS": "/dev/null", "SEALING_KEYS": "/dev/null",
            "CONTACT_KEYS": "/dev/null",
            "KAFKA_BOOTSTRAP_SERVERS": "a:9092,b:9092", "KAFKA_PROPERTIES_SECURITY_PROTOCOL": "ssl",
        ])
        #expect(configuration.http.host == "127.0.0.1")
        #expect(configuration.http.port == 8081)
        #expect(configuration.admin.port == 9081)
        #expect(configuration.kafka.bootstrapServers == "a:9092,b:9092")
        #expect(configuration.kafka.extra == ["security.protocol": "ssl"])
        #expect(configuration.appleRootFile == nil)
        #expect(configuration.log.format == .json)
    }

    @Test("reports everything that is wrong at once")
    func problems() {
        let error = #expect(throws: ConfigurationError.self) {
            try read([
                "MERCHANTS": "/nowhere", "HTTP_PORT": "x", "KAFKA_PROPERTIES_ACKS": "0", "PAYMENTS_MAXIMUM": "0",
            ])
        }
        #expect(
            error?.problems.map(\.key) == [
                "http.port", "merchants", "ticket.keys", "sealing.keys", "contact.keys", "payments.maximum",
                "kafka.bootstrap.servers", "kafka.properties.acks",
            ])
    }
}
