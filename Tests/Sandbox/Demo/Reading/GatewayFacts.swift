import Contracts
import KafkaBridge
import OrchardJSON
import OrchardServiceKit

/// The facts of the gateway's operations in the journal.
struct GatewayFacts: Sendable {
    private struct Last {
        var transition: Int64
        var reason: String?
    }

    private var operations: [String: Last] = [:]

    /// Reads the journal from its beginning.
    static func read(partitions: Int32, kafka: KafkaConfiguration, logger: Logger) async throws -> GatewayFacts {
        let reader = try KafkaReader(kafka, logger: logger)
        let facts = Locked(GatewayFacts())
        for partition in 0..<partitions {
            try await reader.read(TopicPartition(Topic.journal.name, partition)) { records in
                facts.withLock { facts in
                    for record in records where record.header("ce_source") == "/charge-gateway" { facts.take(record) }
                }
            }
        }
        return facts.withLock { $0 }
    }

    func lastReason(order: OrderID, payment: PaymentID) -> String? { operations["\(order)\(payment)"]?.reason }

    private mutating func take(_ record: KafkaRecord) {
        guard let json = try? JSONValue(parsing: record.value), let order = json["orderId"]?.string,
            let payment = json["paymentId"]?.string, json["operationId"] != nil,
            let transition = json["transition"]?.integer
        else { return }
        let last = operations[order + payment]
        guard transition >= last?.transition ?? transition else { return }
        operations[order + payment] = Last(transition: transition, reason: json["reason"]?.string)
    }
}
