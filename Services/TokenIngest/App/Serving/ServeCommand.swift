import Foundation
import OrchardServiceKit

/// `token-ingest serve`: the service.
enum ServeCommand {
    static let command = Command(
        name: "serve", summary: "take payments from devices",
        discussion: """
            POST /v1/payments takes Apple's token with the order ticket, and answers 202 when Kafka holds the command to
            charge. POST /v1/apple-pay/session asks Apple for the merchant session of a page, and Apple finds the merchants'
            domain association files here. The process keeps nothing that must survive: run as many as you like. SIGTERM
            finishes what is in progress.
            """,
        configuration: ConfigReader.keys { IngestConfiguration(reader: $0) },
        examples: [
            .init(
                "MERCHANTS=merchants.json TICKET_KEYS=ticket-keys.json SEALING_KEYS=sealing-keys.json \\\n"
                    + "  CONTACT_KEYS=contact-keys.json KAFKA_BOOTSTRAP_SERVERS=kafka:9092 token-ingest serve",
                "Settings from the environment"),
            .init("token-ingest serve --config /etc/orchard/token-ingest.json", "Settings from a file"),
        ]
    ) { invocation in
        try secureProcess()
        ThroughputScheduling.begin()
        let (configuration, effective) = try invocation.configuration { IngestConfiguration(reader: $0) }
        let logger = configuration.log.logger(label: "token-ingest")
        effective.log(to: logger)
        try await IngestService(configuration, logger: logger).run()
        return 0
    }
}
