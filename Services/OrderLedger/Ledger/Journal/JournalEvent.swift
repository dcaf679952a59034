import Contracts
import OrchardCrypto
import OrchardJSON

/// A record of the journal that could be read: its envelope and the fact it tells.
public struct JournalEvent: Hashable, Sendable {
    public let position: JournalPosition
    public let event: CloudEvent
    public let fact: Fact

    public var id: EventID { event.id }

    /// SHA-256 over what is told: two records of one name that differ here contradict each other. Envelope fields that
    /// a second telling may change (its time, its number in the stream) are left out.
    public var digest: [UInt8] {
        var bytes = CanonicalBytes(version: 1)
        bytes.append(event.type)
        bytes.append(event.data)
        return SHA256.hash(bytes.bytes)
    }

    /// Reads a record, and checks that name, subject and key are those of the fact, and its source the one that may tell
    /// it: whoever else can write to the topic changes no books.
    public init(_ record: JournalRecord) throws(UnreadableRecord) {
        do throws(CloudEventError) {
            event = try CloudEvent(
                headers: record.headers.lazy.map { (name: $0.name, value: $0.value) }, value: record.value)
        } catch {
            throw UnreadableRecord(.envelope, error.description)
        }
        do throws(JSONError) {
            fact = try Fact(type: event.type, value: event.data)
        } catch {
            // The reason is hashed with its row for ever, while the reader's words may get better.
            let place = error.path.isEmpty ? "the value" : error.path
            throw UnreadableRecord(
                error.code == .unknown ? .unknownType : .data, "\(place): \(error.code) at byte \(error.offset)")
        }
        // No text of a table can hold U+0000; a fact that has one would stop its partition for ever.
        guard !writesNul(event.data), !record.headers.contains(where: { $0.value.contains(0) }) else {
            throw UnreadableRecord(.data, "a text contains U+0000")
        }
        position = record.position
        guard event.id == fact.id else {
            throw UnreadableRecord(.identity, "ce_id is not the name of what the record tells")
        }
        guard event.subject == fact.order, record.key == event.key else {
            throw UnreadableRecord(.identity, "key, ce_subject and the fact's order differ")
        }
        guard fact.isTold(by: event) else {
            throw UnreadableRecord(
                .foreignSource, "ce_source is not the program that tells such facts, or ce_stream is not its outbox")
        }
    }
}

/// Whether a JSON text may hold U+0000, which is written as `\u0000`; raw control characters are no JSON. Few texts have
/// any backslash: looking for that one byte is many times faster than a search for all six.
private func writesNul(_ json: [UInt8]) -> Bool {
    var rest = json[...]
    while let escape = rest.firstIndex(of: UInt8(ascii: "\\")) {
        rest = rest[(escape + 1)...]
        if rest.starts(with: nulEscape) { return true }
    }
    return false
}

private let nulEscape = Array("u0000".utf8)
