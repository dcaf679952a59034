/// The programs that write records: `ce_source`.
///
/// When one of these programs wrote a record with an unknown type, that program is newer. The reader never skips the
/// record: it waits until it is upgraded, too.
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

/// The form of our event types, of any version: `orchard.payment.succeeded.v1`.
public enum EventType {
    /// Whether a newer version of our programs may have written this type; our programs write no other texts.
    public static func isOurs(_ type: String) -> Bool {
        let parts = type.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard type.utf8.count <= 100, parts.count == 4, parts[0].elementsEqual("orchard".utf8),
            parts[3].first == UInt8(ascii: "v"), (2...4).contains(parts[3].count)
        else { return false }
        return parts[1...2].allSatisfy { !$0.isEmpty && $0.allSatisfy(isLetter) }
            && parts[3].dropFirst().allSatisfy(isDigit)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) && byte < 0x80
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
