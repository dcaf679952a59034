import Contracts
import OrchardJSON

/// A fact that one of our own programs wrote with a type that this version does not know: a newer version's.
///
/// It is never skipped and never kept as unreadable, for then the newer version would contradict this one's rows. Its
/// partition waits for a newer order-ledger.
public struct NewerRecord: Error, Hashable, Sendable, CustomStringConvertible {
    public let position: JournalPosition
    /// What its header says.
    public let type: String
    public let source: EventSource

    /// - Returns: nil for a record that this version may judge: of a type that it knows or that is none of ours, or of a
    ///   foreign source.
    public init?(_ record: JournalRecord) {
        func text(_ name: String) -> String? {
            record.headers.first { $0.name == name }.flatMap { String(outside: $0.value) }
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
