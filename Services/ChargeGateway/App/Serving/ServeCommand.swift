import Contracts
import Foundation
import OrchardServiceKit

/// `charge-gateway serve`: the service.
enum ServeCommand {
    static let command = Command(
        name: "serve", summary: "charge acquirers and tell what became of it",
        discussion: """
            Reads commands from Kafka, charges the merchants' acquirers under their own keys, asks what became of it, and
            tells the journal. Any number of instances share the work; the state is in PostgreSQL. SIGTERM finishes what
            is on its way.
            """,
        configuration: ConfigReader.keys { GatewayConfiguration(reader: $0) },
        examples: [
            .init(
                "MERCHANTS=merchants.json TICKET_KEYS=ticket-keys.json SEALING_KEYS=sealing-private.json \\\n"
                    + "  POSTGRES_URL_FILE=/run/secrets/postgres KAFKA_BOOTSTRAP_SERVERS=kafka:9092 \\\n"
                    + "  UNIONPAY_URL=https://gateway.95516.com UNIONPAY_ROOT=root.pem UNIONPAY_MIDDLE=middle.pem \\\n"
                    + "  UNIONPAY_NOTIFICATIONS=https://pay.example.com/v1/notifications/unionpay charge-gateway serve",
                "Settings from the environment"),
            .init("charge-gateway serve --config /etc/orchard/charge-gateway.json", "Settings from a file"),
        ]
    ) { invocation in
        try secureProcess()
        ThroughputScheduling.begin()
        let (configuration, effective) = try invocation.configuration { GatewayConfiguration(reader: $0) }
        let logger = configuration.log.logger(label: "charge-gateway")
        effective.log(to: logger)
        try await GatewayService(configuration, logger: logger).run()
        return 0
    }
}
