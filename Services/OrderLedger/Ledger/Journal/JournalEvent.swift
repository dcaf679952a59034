import Contracts
import OrchardCrypto
import OrchardJSON

/// A record of the journal that could be read: its envelope and its fact. A class, as ``ReadRecord`` is.
public final class JournalEvent: Hashable, Sendable {
    public let position: JournalPosition
    public let event: CloudEvent
    public let fact: Fact

    public var id: EventID { event.id }
    /// No other applied or parked event has this name.
    public var name: EventName { EventName(order: fact.order, event: event.id) }

    /// SHA-256 over the content: two records of one name with different digests contradict each other. Envelope fields
    /// that may differ when a fact is published again (its time, its number in the stream) are left out.
    public var digest: [UInt8] {
        var bytes = CanonicalBytes(version: 1, capacity: 64)
        bytes.append(event.type)
        bytes.append(lengthOf: event.data)
        var hasher = SHA256.Hasher()
        hasher.update(bytes.bytes)
        hasher.update(event.data)
        return hasher.finish()
    }

    /// Reads a record. Checks that identifier, subject and key match the fact, and that the source may publish it, so
    /// that other writers to the topic change no books.
    ///
    /// - Parameter isKnown: whether the reader's version knows a type of facts.
    public init(
        _ record: JournalRecord, knowing isKnown: (FactType) -> Bool = { _ in true }
    ) throws(UnreadableRecord) {
        let event: CloudEvent
        do throws(CloudEventError) {
            event = try CloudEvent(record)
        } catch {
            throw UnreadableRecord(.envelope, error.description)
        }
        let fact: Fact
        do throws(JSONError) {
            if let type = FactType(event.type), !isKnown(type) { throw JSONError(.unknown, "no fact has this type") }
            fact = try Fact(type: event.type, value: event.data)
        } catch {
            throw UnreadableRecord(error)
        }
        // No text of a table can hold U+0000; a fact that has one would stop its partition for ever.
        guard !writesNul(event.data), !record.hasNul else {
            throw UnreadableRecord(.data, "a text contains U+0000")
        }
        guard event.id == fact.id else {
            throw UnreadableRecord(.identity, "ce_id is not the name of what the record tells")
        }
        guard event.subject == fact.order, record.key.flatMap({ OrderID(digits: $0.span) }) == event.subject else {
            throw UnreadableRecord(.identity, "key, ce_subject and the fact's order differ")
        }
        guard fact.isOfItsOrder else {
            throw UnreadableRecord(.identity, "operationId is not that of the order and the payment")
        }
        guard fact.isPublished(by: event) else {
            throw UnreadableRecord(
                .foreignSource, "ce_source is not the program that tells such facts, or ce_stream is not its outbox")
        }
        position = record.position
        self.event = event
        self.fact = fact
    }
}

extension JournalEvent {
    public static func == (left: JournalEvent, right: JournalEvent) -> Bool {
        left === right
            || (left.position == right.position && left.event == right.event && left.fact == right.fact)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(position)
        hasher.combine(event)
        hasher.combine(fact)
    }
}

/// What identifies an event. All events of an order are in one partition, so no other partition is searched for it.
public struct EventName: Hashable, Sendable {
    public let order: OrderID
    public let event: EventID

    public init(order: OrderID, event: EventID) {
        self.order = order
        self.event = event
    }
}

extension Fact {
    /// Whether the operation is one of its order's payment, so that money that moved counts for one order only.
    fileprivate var isOfItsOrder: Bool {
        guard case .payment(let fact) = self else { return true }
        return OperationID(chargeOf: fact.payment, order: fact.order) == fact.operation
    }
}

extension CloudEvent {
    /// The envelope of a record, with any content.
    init(_ record: JournalRecord) throws(CloudEventError) {
        try self.init(data: record.value) { (take) throws(CloudEventError) in try record.forEachHeader(take) }
    }
}

extension JournalRecord {
    /// Whether a header's value has a zero byte.
    fileprivate var hasNul: Bool {
        var found = false
        forEachHeader { _, value in
            if value.firstPlace(of: 0) != nil { found = true }
        }
        return found
    }
}

/// Whether a JSON text may contain U+0000, which is written as `\u0000`; raw control characters are not valid JSON. Few
/// texts have a backslash: to search for that one byte is many times faster than to search for all six.
private func writesNul(_ json: [UInt8]) -> Bool {
    var place = 0
    while let escape = json.span.firstPlace(of: UInt8(ascii: "\\"), from: place) {
        place = escape + 1
        if json[place...].starts(with: nulEscape) { return true }
    }
    return false
}

private let nulEscape = Array("u0000".utf8)
