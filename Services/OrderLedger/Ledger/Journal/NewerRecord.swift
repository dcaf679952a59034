import Contracts
import OrchardJSON

/// A fact from one of our programs with a type that this version does not know: that program is newer.
///
/// It is never skipped and never stored as unreadable, because then the newer version would contradict this one's rows.
/// Its partition waits for a newer order-ledger.
public struct NewerRecord: Error, Hashable, Sendable, CustomStringConvertible {
    public let position: JournalPosition
    /// The type in its header.
    public let type: String
    public let source: EventSource

    /// - Returns: nil for a record that this version can process: its type is known or is not one of ours, or its
    ///   source is foreign.
    public init?(_ record: JournalRecord) {
        func text(_ wanted: StaticString) -> String? {
            var (found, text) = (false, String?.none)
            record.forEachHeader { name, value in
                guard !found, name.isText(wanted) else { return }
                (found, text) = (true, String(outside: value))
            }
            return text
        }
        guard let type = text("ce_type"), FactType(type) == nil, EventType.isOurs(type),
            let source = text("ce_source").flatMap({ EventSource(rawValue: $0) }), EventSource.ofFacts.contains(source)
        else { return nil }
        position = record.position
        self.type = OutsideText.printable(type, upTo: 100)
        self.source = source
    }

    public var description: String {
        "\(position): \(source.rawValue) wrote the type \(type), which this version does not know; the partition needs a "
            + "newer order-ledger"
    }
}
