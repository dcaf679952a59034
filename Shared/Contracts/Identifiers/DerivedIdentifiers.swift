import OrchardCrypto

extension PaymentID {
    /// The payment of a token: SHA-256 of the length-prefixed merchant id and Apple's transaction id.
    ///
    /// - Parameter transactionID: header `transactionId` of the token as hex; case does not matter (iOS writes the
    ///   outer one in upper case).
    public init(merchant: MerchantID, transactionID: String) {
        self.init(hash: SHA256.hash(lengthPrefixed([merchant.bytes, Array(transactionID.lowercased().utf8)])))
    }
}

extension OperationID {
    /// The one operation of its kind that a payment of an order can have.
    public init(order: OrderID, payment: PaymentID, kind: OperationKind) {
        self.init(
            hash: SHA256.hash(
                lengthPrefixed([Array("operation".utf8), order.bytes, payment.bytes, Array(kind.rawValue.utf8)])))
    }
}

extension EventID {
    /// The identifier of an event: what changed (an operation, an order, a command) and the number of the change.
    ///
    /// A writer that restarts after a crash, or a second worker, gives the same change the same identifier. Readers
    /// drop events whose identifier they know.
    public init<Subject>(of subject: Identifier<Subject>, transition: Int64, type: String) {
        self.init(
            hash: SHA256.hash(
                lengthPrefixed([
                    Array("event".utf8), Array(type.utf8), subject.bytes,
                    withUnsafeBytes(of: transition.bigEndian) { Array($0) },
                ])))
    }
}

extension AttemptID {
    /// The attempt to pay `order` with exactly these bytes.
    public init(order: OrderID, body: [UInt8]) {
        self.init(hash: SHA256.hash(lengthPrefixed([Array("attempt".utf8), order.bytes, SHA256.hash(body)])))
    }
}

/// Joins fields so that different lists never give the same bytes: each is preceded by its length (4 bytes,
/// big-endian).
package func lengthPrefixed(_ fields: [[UInt8]]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(fields.reduce(0) { $0 + $1.count + 4 })
    for field in fields {
        withUnsafeBytes(of: UInt32(field.count).bigEndian) { bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: field)
    }
    return bytes
}
