import Contracts
import OrchardJSON

/// What a record that is not in the books is about, as far as it is known.
public enum FaultSubject: String, Hashable, Sendable, CaseIterable {
    /// A payment, or the price that a payment is compared with: without it, money is missing from the books.
    case money
    /// A fact of an order or of a settled day that moves no money, such as closed, a command rejected, or a file's sums.
    case order
    /// It claims to be one of our facts, but cannot be read: what is missing is unknown.
    case unknown
    /// It does not claim to be one of our facts. When a fact of ours is lost, its stream's numbers have a gap.
    case stranger

    /// What a fact that was refused is about.
    public init(_ fact: Fact) {
        switch fact {
        case .payment, .followUp, .orderOpened, .orderRepriced, .settlementRecorded, .disputeOpened, .payOutReceived:
            self = .money
        default: self = .order
        }
    }

    /// What a record that cannot be read is about: its headers may name one of our programs as the writer.
    public init(unreadable record: JournalRecord) {
        var claims = false
        record.forEachHeader { name, value in
            if name.isText("ce_stream") {
                claims = true
            } else if name.isText("ce_type") {
                claims = claims || value.begins("orchard.")
            } else if name.isText("ce_source") {
                let source = String(outside: value).flatMap { EventSource(rawValue: $0) }
                claims = claims || source.map { EventSource.ofFacts.contains($0) } ?? false
            }
        }
        self = claims ? .unknown : .stranger
    }
}
