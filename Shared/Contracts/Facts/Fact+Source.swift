extension Fact {
    /// The only program that tells facts of this kind.
    public var source: EventSource {
        switch self {
        case .orderOpened, .orderRepriced: .orderLedger
        case .orderClosed, .payment, .commandRejected: .chargeGateway
        }
    }

    /// Whether the record comes from the program whose word this fact is, numbered by its outbox.
    public func isPublished(by event: CloudEvent) -> Bool {
        event.source == source.rawValue && event.stream?.stream == source.stream && (event.stream?.sequence ?? 0) >= 1
    }
}
