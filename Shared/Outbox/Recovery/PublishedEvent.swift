import Contracts
import KafkaBridge
import OrchardJSON

/// A record of an outbox's own stream, as the log holds it.
public struct PublishedEvent: Sendable {
    /// The number in its stream.
    public let sequence: Int64
    public let offset: Int64
    /// The id of the row in the outbox.
    let eventID: String
    let value: [UInt8]
    /// nil for a dead letter, which is not an event of the contract.
    public let event: CloudEvent?

    /// - Returns: nil for records of other producers.
    init?(_ record: KafkaRecord, of stream: String) {
        guard record.header("ce_stream") == stream,
            let sequence = record.header("ce_streamseq").flatMap({ Int64($0) }), sequence > 0,
            let id = record.header("ce_id")
        else { return nil }
        self.sequence = sequence
        offset = record.offset
        eventID = id
        value = record.value
        event = try? CloudEvent(record)
    }

    /// Its fact; nil for a dead letter.
    ///
    /// - Parameter program: the program whose own event it is.
    /// - Throws: ``StoreError`` when this version cannot read what that program wrote.
    public func fact(of program: String) throws(StoreError) -> Fact? {
        guard let event else { return nil }
        do throws(JSONError) {
            return try Fact(type: event.type, value: event.data)
        } catch {
            throw StoreError(
                .malformed, at: "\(Topic.journal.name) event \(event.id)",
                "a fact of \(program) cannot be read (\(error.reason)): a newer version wrote it; run that one")
        }
    }
}
