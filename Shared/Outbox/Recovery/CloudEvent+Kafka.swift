import Contracts
import KafkaBridge

extension CloudEvent {
    /// Reads a record of a topic; its headers are not copied.
    public init(_ record: KafkaRecord) throws(CloudEventError) {
        try self.init(data: record.value) { (take) throws(CloudEventError) in
            try record.packedHeaders.forEach(take)
        }
    }
}
