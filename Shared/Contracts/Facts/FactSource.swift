/// A program that tells facts of the journal, each its own kinds and nobody else's.
public enum FactSource: String, Sendable, CaseIterable {
    case chargeGateway = "charge-gateway"
    case orderLedger = "order-ledger"

    /// The records' `ce_source`.
    public var source: String { "/\(rawValue)" }
    /// The outbox that numbers the records: `ce_stream`.
    public var stream: String { rawValue }
}

extension Fact {
    /// The only program that tells facts of this kind.
    public var source: FactSource {
        switch self {
        case .orderOpened, .orderRepriced: .orderLedger
        case .orderClosed, .payment, .commandRejected: .chargeGateway
        }
    }

    /// Whether the record comes from the program whose word this fact is, numbered by its outbox.
    public func isTold(by event: CloudEvent) -> Bool {
        event.source == source.source && event.stream?.stream == source.stream && (event.stream?.sequence ?? 0) >= 1
    }
}
