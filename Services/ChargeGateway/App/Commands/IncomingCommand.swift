import Contracts
import KafkaBridge
import OrchardServiceKit
import Outbox

/// A record of `orchard.charges.v1`, read but not verified.
struct IncomingCommand: Sendable {
    let record: KafkaRecord
    /// nil when the headers are not an event's.
    let event: CloudEvent?
    let reading: CommandReading

    init(_ record: KafkaRecord) {
        self.record = record
        do {
            let event = try CloudEvent(record)
            self.event = event
            reading = CommandReading.read(event)
        } catch {
            event = nil
            reading = .unreadable(reason: error.description)
        }
    }

    var order: OrderID? { reading.order }
    var payment: PaymentID? { reading.payment }

    /// The trace that it belongs to; a header that is none is left out.
    var traceparent: String? {
        event?.traceparent.flatMap { TraceContext(traceparent: $0) }?.traceparent
    }
}
