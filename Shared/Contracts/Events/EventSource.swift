/// The programs that write records: `ce_source`.
///
/// A record that its own program wrote with a type that is not known here was written by a newer version: its reader
/// waits for a newer version too, and skips nothing.
public enum EventSource: String, Sendable, CaseIterable {
    case tokenIngest = "/token-ingest"
    case chargeGateway = "/charge-gateway"
    case orderLedger = "/order-ledger"

    /// The program's outbox, which numbers its records: `ce_stream`.
    public var stream: String { String(rawValue.dropFirst()) }

    /// Who may write commands to the gateway.
    public static let ofCommands: Set<Self> = [.tokenIngest, .orderLedger]
    /// Who may write facts to the journal.
    public static let ofFacts: Set<Self> = [.chargeGateway, .orderLedger]
}
