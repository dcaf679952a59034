import OrchardCrypto

extension PaymentID {
    /// The payment of a token: SHA-256 of the length-prefixed merchant id and Apple's transaction id.
    ///
    /// - Parameter transactionID: header `transactionId` of the token as hex; case does not matter (iOS writes the
    ///   outer one in upper case).
    public init(merchant: MerchantID, transactionID: String) {
        var fields = LengthPrefixed()
        fields.append(merchant)
        fields.append(transactionID.lowercased())
        self.init(hash: SHA256.hash(fields.bytes))
    }
}

extension OperationID {
    /// The one operation of its kind that a payment of an order can have.
    public init(order: OrderID, payment: PaymentID, kind: OperationKind) {
        var fields = LengthPrefixed()
        fields.append("operation")
        fields.append(order)
        fields.append(payment)
        fields.append(kind.rawValue)
        self.init(hash: SHA256.hash(fields.bytes))
    }
}

extension EventID {
    /// The identifier of an event: what changed (an operation, an order, a command) and the number of the change.
    ///
    /// A writer that restarts after a crash, or a second worker, gives the same change the same identifier. Readers
    /// drop events whose identifier they know.
    public init<Subject>(of subject: Identifier<Subject>, transition: Int64, type: String) {
        var fields = LengthPrefixed()
        fields.append("event")
        fields.append(type)
        fields.append(subject)
        fields.append(transition)
        self.init(hash: SHA256.hash(fields.bytes))
    }
}

extension AttemptID {
    /// The attempt to pay `order` with exactly these bytes.
    public init(order: OrderID, body: [UInt8]) {
        var fields = LengthPrefixed()
        fields.append("attempt")
        fields.append(order)
        fields.append(SHA256.hash(body))
        self.init(hash: SHA256.hash(fields.bytes))
    }
}

/// Joins fields so that different lists never give the same bytes: each is preceded by its length (4 bytes,
/// big-endian). Names are derived for every fact that is read, so no field is copied before it is joined.
package struct LengthPrefixed {
    package private(set) var bytes: [UInt8] = []

    package init() { bytes.reserveCapacity(112) }

    package mutating func append(_ field: [UInt8]) {
        append(length: field.count)
        bytes.append(contentsOf: field)
    }

    package mutating func append(_ text: String) {
        append(length: text.utf8.count)
        bytes.append(contentsOf: text.utf8)
    }

    package mutating func append<Kind>(_ identifier: Identifier<Kind>) {
        append(length: 16)
        identifier.append(to: &bytes)
    }

    package mutating func append(_ number: Int64) {
        append(length: 8)
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    private mutating func append(length: Int) {
        withUnsafeBytes(of: UInt32(length).bigEndian) { bytes.append(contentsOf: $0) }
    }
}
