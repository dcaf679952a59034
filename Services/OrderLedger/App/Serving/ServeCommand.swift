import Contracts
import KafkaBridge
import Ledger
import OrchardHTTPAdmin
import OrchardHTTPServer
import OrchardPostgres
import OrchardServiceKit
import Outbox

/// `order-ledger serve`: the API, the projection and the outbox relay.
enum ServeCommand {
    static let command = Command(
        name: "serve", summary: "serve the orders API and fold the journal into the books",
        configuration: ConfigReader.keys { LedgerConfiguration(reader: $0) },
        examples: [.init("order-ledger serve --config /etc/orchard/order-ledger.json", "as a service runs it")]
    ) { invocation in
        try secureProcess()
        ThroughputScheduling.begin()
        let (configuration, effective) = try invocation.configuration { LedgerConfiguration(reader: $0) }
        let logger = configuration.log.logger(label: "order-ledger")
        logger.notice("starting", ["configuration": effective.description])
        try await LedgerService(configuration, logger: logger).run()
        return 0
    }
}
