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
    /// The one charge of a payment, a sale or an authorisation: a payment never has both.
    public init(chargeOf payment: PaymentID, order: OrderID) {
        var fields = LengthPrefixed()
        fields.append("operation")
        fields.append(order)
        fields.append(payment)
        fields.append(OperationKind.sale.rawValue)
        self.init(hash: SHA256.hash(fields.bytes))
    }

    /// An operation that follows a charge. A cause has one of each kind: a void that is proved failed is followed by a
    /// refund of the same cause.
    public init(_ kind: FollowUpKind, of payment: PaymentID, order: OrderID, cause: FollowUpCause) {
        var fields = LengthPrefixed()
        fields.append("follow-up")
        fields.append(order)
        fields.append(payment)
        fields.append(kind.rawValue)
        cause.append(to: &fields)
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
