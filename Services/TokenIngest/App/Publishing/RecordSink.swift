import KafkaBridge

/// Where records go, and are safe when the call returns.
protocol RecordSink: Sendable {
    func send(_ message: KafkaMessage) async throws(KafkaError) -> Delivery
}

extension KafkaProducer: RecordSink {}
