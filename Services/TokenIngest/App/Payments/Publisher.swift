import Contracts
import KafkaBridge
import OrchardServiceKit

/// Publishes the decisions of token-ingest to Kafka.
struct Publisher: Sendable {
    private static let source = EventSource.tokenIngest.rawValue

    let sink: any RecordSink

    /// Sends the gateway the command to charge; returns when the brokers hold the command.
    func publish(_ command: ChargeRequested, partition: Int32, at time: Timestamp) async throws(KafkaError) {
        let event = CloudEvent(
            .charge(command), source: Self.source, time: time, traceparent: TraceContext.current?.traceparent)
        try await send(event, to: .charges, partition)
    }

    /// Sends order-ledger the contact of a payment; returns when the brokers hold it.
    func publish(_ contact: ContactReceived, partition: Int32, at time: Timestamp) async throws(KafkaError) {
        let event = CloudEvent(
            contact, source: Self.source, time: time, traceparent: TraceContext.current?.traceparent)
        try await send(event, to: .contacts, partition)
    }

    /// Publishes that an attempt was rejected.
    func publish(_ rejected: PaymentRejected, partition: Int32, at time: Timestamp) async throws(KafkaError) {
        let event = CloudEvent(
            rejected, source: Self.source, time: time, traceparent: TraceContext.current?.traceparent)
        try await send(event, to: .attempts, partition)
    }

    private func send(_ event: CloudEvent, to topic: Topic, _ partition: Int32) async throws(KafkaError) {
        let headers = event.headers.map { KafkaHeader($0.name, $0.value) }
        _ = try await sink.send(
            KafkaMessage(
                topic: topic.name, partition: partition, key: event.key, value: event.data, headers: headers))
    }
}

/// A destination for records. A record is stored safely when `send` returns.
protocol RecordSink: Sendable {
    func send(_ message: KafkaMessage) async throws(KafkaError) -> Delivery
}

extension KafkaProducer: RecordSink {}
