import Contracts
import OrchardJSON

/// What a record that was not taken into the books is about, as far as can be told.
public enum FaultSubject: String, Hashable, Sendable, CaseIterable {
    /// A payment, or the price that one is compared with: without it money is missing from the books.
    case money
    /// A fact of an order that moves no money: closed, or a command refused.
    case order
    /// It says that it is a fact of ours, but cannot be read: nobody knows what is missing.
    case unknown
    /// It does not say that it is a fact of ours; each of ours that is lost leaves a gap in its stream's numbers.
    case stranger

    /// What a fact that was refused is about.
    public init(_ fact: Fact) {
        switch fact {
        case .payment, .orderOpened, .orderRepriced: self = .money
        default: self = .order
        }
    }

    /// What a record that cannot be read is about: its headers may say that one of our programs wrote it.
    public init(unreadable record: JournalRecord) {
        let claims = record.headers.contains { header in
            switch header.name {
            case "ce_type": header.value.starts(with: "orchard.".utf8)
            case "ce_source":
                String(outside: header.value).flatMap { EventSource(rawValue: $0) }.map {
                    EventSource.ofFacts.contains($0)
                } ?? false
            case "ce_stream": true
            default: false
            }
        }
        self = claims ? .unknown : .stranger
    }
}
