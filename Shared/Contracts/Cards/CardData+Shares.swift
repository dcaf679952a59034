import OrchardCrypto

/// The shares of several merchants in card data, as Apple's `authenticationResponses` has them.
///
/// Layout of the field: for each share three values, each after its length (2 bytes, big-endian): merchant, amount in minor
/// units as digits, authentication data.
extension CardData {
    /// One merchant's share of the payment.
    public struct MerchantShare {
        /// As Apple names the merchant.
        public let merchantIdentifier: String
        /// In minor units of the token's currency.
        public let amount: Int64
        /// Base64 as Apple wrote it. Bytes that are kept read as zeros later.
        public let authenticationData: ArraySlice<UInt8>
    }

    /// Lends the shares, in Apple's order; none when the token pays one merchant.
    public borrowing func withShares<Result, Failure: Error>(
        _ body: ([MerchantShare]) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard
            let result = try withField(
                .authenticationResponses,
                { field throws(Failure) in
                    // Checked when the card data were read.
                    try body(Self.shares(in: field) ?? [])
                })
        else { return try body([]) }
        return result
    }

    /// nil when the field is not in its layout.
    static func shares(in field: ArraySlice<UInt8>) -> [MerchantShare]? {
        var (rest, shares) = (field, [MerchantShare]())
        while !rest.isEmpty {
            guard let merchant = value(&rest), let digits = value(&rest), let data = value(&rest),
                let amount = Int64(String(decoding: digits, as: UTF8.self)), amount >= 0, !data.isEmpty
            else { return nil }
            shares.append(
                MerchantShare(
                    merchantIdentifier: String(decoding: merchant, as: UTF8.self), amount: amount,
                    authenticationData: data))
        }
        return shares
    }

    private static func value(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let high = rest.popFirst(), let low = rest.popFirst() else { return nil }
        let length = Int(high) << 8 | Int(low)
        guard rest.count >= length else { return nil }
        defer { rest = rest.dropFirst(length) }
        return rest.prefix(length)
    }
}

extension CardData {
    /// Collects the shares of several merchants in a buffer that is wiped.
    public struct SharesBuilder: ~Copyable {
        private var buffer = SecretBytes()

        public init() {}

        /// Adds a share.
        ///
        /// - Throws: ``CardDataError`` `tooLarge` when it does not fit.
        public mutating func add(
            merchantIdentifier: String, amount: Int64, authenticationData: some Collection<UInt8>
        ) throws(CardDataError) {
            try add(merchantIdentifier.utf8)
            try add(String(amount).utf8)
            try add(authenticationData)
        }

        /// Lends the field's bytes.
        public borrowing func withBytes<Failure: Error>(_ body: ([UInt8]) throws(Failure) -> Void) throws(Failure) {
            try buffer.withBytes(body)
        }

        private mutating func add(_ value: some Collection<UInt8>) throws(CardDataError) {
            guard value.count <= CardData.maximumSize else { throw CardDataError(.tooLarge) }
            buffer.append(UInt8(value.count >> 8))
            buffer.append(UInt8(value.count & 0xff))
            buffer.append(contentsOf: value)
        }
    }
}
