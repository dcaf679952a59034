import Contracts
import Ledger
import OrchardCrypto
import OrchardHTTPTypes
import OrchardJSON

/// The key under which a shop opens an order. It always names the same order, however often the request is repeated.
struct IdempotencyKey: Hashable, Sendable {
    let merchant: MerchantID
    /// The header's value, 1 to 255 visible ASCII characters.
    let text: String

    /// The keys of all merchants are spread over this many slots. Never change it: old keys would be searched in wrong
    /// slots. A slot may be stored on any server.
    static let slots: Int32 = 1_024

    /// Where the key is kept: SHA-256 of merchant and key, its first four bytes modulo ``slots``.
    var slot: Int32 {
        let number = hash.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return Int32(number % UInt32(Self.slots))
    }

    /// The order that the key names. It is a function of the key: if the row of the key is lost, the repeated request
    /// finds the existing order and opens no second one.
    var order: OrderID { OrderID(hash: hash) }

    private var hash: [UInt8] { Self.hash("order", merchant.bytes, text) }

    static func hash(_ kind: String, _ scope: [UInt8], _ key: String) -> [UInt8] {
        var bytes = CanonicalBytes(version: 1)
        bytes.append(kind)
        bytes.append(scope)
        bytes.append(key)
        return SHA256.hash(bytes.bytes)
    }
}

extension Problem {
    /// The key of an earlier request with another body.
    static var otherRequest: Problem {
        Problem(
            .unprocessableContent, code: "idempotency-key-reused",
            detail: "this Idempotency-Key came with another body before; use a new key for a new request",
            members: ["field": "Idempotency-Key"])
    }
}

extension CommandID {
    /// The command that a merchant gives for an order under an idempotency key.
    init(order: OrderID, idempotencyKey key: String) {
        self.init(hash: IdempotencyKey.hash("command", order.bytes, key))
    }
}

extension HTTPRequest {
    /// The `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header), if there is one.
    func idempotencyKey() throws(Problem) -> String? {
        let keys = fields.values("Idempotency-Key")
        guard let key = keys.first else { return nil }
        guard keys.count == 1, (1...255).contains(key.utf8.count),
            key.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw Problem(
                .badRequest, code: "bad-idempotency-key",
                detail: "one Idempotency-Key of 1 to 255 visible ASCII characters is expected",
                members: ["field": "Idempotency-Key"])
        }
        return key
    }
}
