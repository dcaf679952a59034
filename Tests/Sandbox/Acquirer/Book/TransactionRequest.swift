/// A request for a transaction that passed the rules of the protocol.
struct TransactionRequest: Hashable, Sendable {
    /// The key of a transaction at UnionPay: the same key means the same transaction; another time means a new one.
    struct Key: Hashable, Sendable {
        var merchant: String
        var orderID: String
        var time: String
    }

    /// How a follow-up names what it follows.
    enum Original: Hashable, Sendable {
        /// `origQryId`
        case queryID(String)
        /// `origOrderId` and `origTxnTime`
        case key(Key)
    }

    var key: Key
    var kind: TransactionKind
    /// Fen.
    var amount: Int64
    /// The card number in clear; empty for a follow-up.
    var card: String
    /// Whether the card number came encrypted, and so is returned encrypted.
    var isCardEncrypted: Bool
    /// nil for a charge.
    var original: Original?
    /// The request's fields that answers, notifications and the book repeat.
    var fields: [String: String]

    /// The fields that are repeated.
    static let kept = ["merId", "orderId", "txnTime", "txnType", "txnSubType", "bizType", "reqReserved", "backUrl"]

    init(_ message: ACPMessage, _ kind: TransactionKind, card: String) {
        let merchant = message["merId"] ?? ""
        key = Key(merchant: merchant, orderID: message["orderId"] ?? "", time: message["txnTime"] ?? "")
        self.kind = kind
        amount = message["txnAmt"].flatMap { Int64($0) } ?? 0
        self.card = card
        isCardEncrypted = message["encryptCertId"] != nil
        if !kind.hasCard {
            original =
                message["origQryId"].map { .queryID($0) }
                ?? .key(
                    Key(
                        merchant: merchant, orderID: message["origOrderId"] ?? "", time: message["origTxnTime"] ?? ""))
        }
        fields = message.keeping(Self.kept)
    }

    /// Whether UnionPay knows such a card number.
    var isCardKnown: Bool {
        ["62", "81"].contains { card.hasPrefix($0) } && (13...19).contains(card.utf8.count)
            && card.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}
