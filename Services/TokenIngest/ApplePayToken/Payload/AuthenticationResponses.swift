import OrchardCrypto
import OrchardJSON

/// The shares of the merchants in a payment to several: for each an amount, and a cryptogram that proves it.
///
/// Apple gives them only for a request with `multiTokenContexts`. The customer saw these shares on the sheet: who charges
/// such a token must charge them, or nothing.
public struct AuthenticationResponses: ~Copyable, Sendable {
    /// More are refused; Apple names no limit.
    static let maximumCount = 10
    private static let maximumIdentifier = 128
    private static let maximumData = 512

    /// One merchant's share.
    public struct Share: Hashable, Sendable {
        /// As Apple names the merchant: real tokens have a hash of 64 digits.
        public let merchantIdentifier: String
        /// In minor units of the token's currency.
        public let transactionAmount: Int64
        let range: Range<Int>
    }

    /// In Apple's order.
    public private(set) var shares: [Share] = []
    private var data = SecretBytes()

    init() {}

    /// No shares: the token pays one merchant.
    public static var none: AuthenticationResponses { AuthenticationResponses() }

    public var isEmpty: Bool { shares.isEmpty }

    /// Lends a share's `authenticationData`: base64 as Apple wrote it.
    public func withAuthenticationData<Result, Failure: Error>(
        of share: Share, _ body: (ArraySlice<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try data.withBytes { bytes throws(Failure) in try body(bytes[share.range]) }
    }

    /// Reads the list of shares.
    init(_ reader: inout JSONReader) throws(JSONError) {
        var read = AuthenticationResponses()
        try reader.array { reader throws(JSONError) in
            guard read.shares.count < Self.maximumCount else {
                throw reader.error(.size, "at most \(Self.maximumCount) merchants share a payment")
            }
            try read.add(&reader)
        }
        self = read
    }

    private mutating func add(_ reader: inout JSONReader) throws(JSONError) {
        var (merchant, amount): (String?, Int64?)
        var secret = SecretBytes()
        try reader.object { reader, name throws(JSONError) in
            switch name {
            case "merchantIdentifier":
                merchant = try reader.string {
                    (1...Self.maximumIdentifier).contains($0.count)
                } orRefuse: {
                    "1 to \(Self.maximumIdentifier) bytes are expected"
                }
            case "transactionAmount":
                let digits = try reader.string {
                    (1...15).contains($0.count) && $0.allSatisfy { (0x30...0x39).contains($0) }
                } orRefuse: {
                    "an amount in minor units, as text of digits, is expected"
                }
                amount = Int64(digits)
            case "authenticationData":
                secret = try reader.base64Secret()
                guard secret.count <= Self.maximumData else {
                    throw reader.error(.size, "at most \(Self.maximumData) bytes are expected")
                }
            default: try reader.skip()
            }
        }
        guard !secret.isEmpty else { throw reader.error(.missing, "authenticationData is required") }
        let start = data.count
        secret.withBytes { data.append(contentsOf: $0) }
        shares.append(
            Share(
                merchantIdentifier: try reader.required(merchant, "merchantIdentifier"),
                transactionAmount: try reader.required(amount, "transactionAmount"), range: start..<data.count))
    }
}
