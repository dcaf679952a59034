import Contracts
import KafkaBridge

extension PaymentRejected {
    /// Reads a record of the topic of attempts; nil for any record that token-ingest does not write.
    init?(_ record: KafkaRecord) {
        guard
            let event = try? CloudEvent(
                headers: record.headers.map { (name: $0.name, value: $0.value) }, value: record.value),
            event.type == Self.type, let rejected = try? PaymentRejected(parsing: event.data),
            rejected.order == event.subject
        else { return nil }
        self = rejected
    }
}
