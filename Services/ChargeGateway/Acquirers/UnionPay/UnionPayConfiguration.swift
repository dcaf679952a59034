import Contracts
import Foundation
import OrchardHTTPClient
import OrchardServiceKit

/// How UnionPay is reached and what the contract with it says.
///
/// Configuration keys:
/// - `unionpay.url` (required): `https://gateway.95516.com`, the test environment's or a simulator's address
/// - `unionpay.notifications` (required): the address of a gateway that UnionPay sends results to (`backUrl`)
/// - `unionpay.root`, `unionpay.middle` (required): the certificates, PEM, that UnionPay's signing certificates lead to
/// - `unionpay.test.url`, `unionpay.test.root`, `unionpay.test.middle`: where routes of the environment `test` lead, and
///   the certificates there; needed as soon as there are `live` routes too
/// - `unionpay.settlement.url`, `unionpay.test.settlement.url`: where settlement files are downloaded
///   (`https://filedownload.95516.com/`); without it none are fetched
/// - `unionpay.ca`: the authorities for TLS, PEM, instead of the system's
/// - `unionpay.timeout.connect` (default 5s), `unionpay.timeout.sale` (30s), `unionpay.timeout.query` (10s),
///   `unionpay.timeout.settlement` (120s)
/// - `unionpay.biztype.sale` (default 000802), `unionpay.biztype.followup` (000802), `unionpay.biztype.query` (000000):
///   product codes
/// - `unionpay.carrier.type` (default 6), `unionpay.carrier.application` (2): `carrierTp` and `carrierAppTp`
public struct UnionPayConfiguration: Hashable, Sendable {
    /// Scheme, host and port.
    public var url: String
    /// `backUrl`.
    public var notifications: String
    /// PEM files.
    public var root: String
    public var middle: String
    /// Where routes of the environment `test` lead; nil: to ``url``.
    public var test: TestEnvironment?
    /// Where settlement files are downloaded, a whole address; nil: none are fetched.
    public var settlementURL: String?
    public var tlsAuthorities: String?
    public var connectTimeout: Duration = .seconds(5)
    public var saleTimeout: Duration = .seconds(30)
    public var queryTimeout: Duration = .seconds(10)
    public var settlementTimeout: Duration = .seconds(120)
    /// Apple Pay through the back channel.
    public var saleProduct = "000802"
    /// UnionPay's demos give captures, voids and refunds the product of the sale; its real answers to refunds show 000000.
    public var followUpProduct = "000802"
    public var queryProduct = "000000"
    /// How the chip data came about; the values for Apple Pay are known from one copy of UnionPay's demo alone.
    public var carrierType = "6"
    public var carrierApplication = "2"

    public init(url: String, notifications: String, root: String, middle: String) {
        self.url = url
        self.notifications = notifications
        self.root = root
        self.middle = middle
    }

    public init(reader: ConfigReader) {
        let reader = reader.scoped(to: "unionpay")
        self.init(
            url: reader.url("url", doc: "UnionPay's gateway: scheme, host and port."),
            notifications: reader.url(
                "notifications", doc: "The address of a gateway that UnionPay sends results to (backUrl)."),
            root: reader.file("root", doc: "The root of UnionPay's signing certificates, PEM."),
            middle: reader.file("middle", doc: "The issuers of UnionPay's signing certificates, PEM."))
        if !Self.isAddress(notifications) {
            reader.report("notifications", "is longer than backUrl's 256 bytes or has characters beyond plain URLs")
        }
        test = Self.test(reader.scoped(to: "test"))
        settlementURL = reader.optionalURL(
            "settlement.url", doc: "Where UnionPay's settlement files are downloaded; without it none are fetched.")
        tlsAuthorities = reader.optionalFile("ca", doc: "The authorities for TLS, PEM, instead of the system's.")
        let times: ClosedRange<Duration> = .milliseconds(100)...(.seconds(120))
        // Shorter than ``ChargingPolicy/sendInProgress``: then a send that has no connection yet is told before a query's
        // answer may repeat it.
        connectTimeout = reader.duration(
            "timeout.connect", doc: "For name, TCP and TLS together.", default: connectTimeout,
            in: .milliseconds(100)...(.seconds(7)))
        saleTimeout = reader.duration(
            "timeout.sale", doc: "For the whole answer to a send; queries begin before.", default: saleTimeout,
            in: times)
        queryTimeout = reader.duration(
            "timeout.query", doc: "For a query's whole answer.", default: queryTimeout, in: times)
        settlementTimeout = reader.duration(
            "timeout.settlement", doc: "For the download of a settlement file.", default: settlementTimeout,
            in: .milliseconds(100)...(.seconds(600)))
        saleProduct = reader.string(
            "biztype.sale", doc: "The product code of sales and authorisations.", default: saleProduct)
        followUpProduct = reader.string(
            "biztype.followup", doc: "The product code of captures, voids and refunds.", default: followUpProduct)
        queryProduct = reader.string("biztype.query", doc: "The product code of queries.", default: queryProduct)
        carrierType = reader.string("carrier.type", doc: "carrierTp of Apple Pay.", default: carrierType)
        carrierApplication = reader.string(
            "carrier.application", doc: "carrierAppTp of Apple Pay.", default: carrierApplication)
    }

    /// How the HTTP client that talks to UnionPay is set up.
    public var client: HTTPClientConfiguration {
        var client = HTTPClientConfiguration()
        client.connectTimeout = connectTimeout
        client.totalTimeout = saleTimeout
        client.caFile = tlsAuthorities
        client.maximumBody = 256 << 10
        return client
    }

    /// An address below the environment's.
    func address(_ name: String, in environment: AcquirerRoute.Environment) -> String {
        let url = environment == .test ? test?.url ?? url : url
        return (url.hasSuffix("/") ? String(url.dropLast()) : url) + "/gateway/api/" + name
    }

    private static func test(_ reader: ConfigReader) -> TestEnvironment? {
        let url = reader.optionalURL(
            "url", doc: "UnionPay's address for routes of the environment test, beside live ones.")
        let root = reader.optionalFile("root", doc: "The root of its signing certificates, PEM.")
        let middle = reader.optionalFile("middle", doc: "The issuers of its signing certificates, PEM.")
        let settlementURL = reader.optionalURL(
            "settlement.url", doc: "Where the settlement files of routes of the environment test are downloaded.")
        if url == nil, root == nil, middle == nil, settlementURL == nil { return nil }
        guard let url, let root, let middle else {
            reader.report("url", "url, root and middle are needed together")
            return nil
        }
        return TestEnvironment(url: url, root: root, middle: middle, settlementURL: settlementURL)
    }

    private static func isAddress(_ text: String) -> Bool {
        text.utf8.count <= 256 && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"{}[]\"'".utf8.contains($0) }
    }
}

extension UnionPayConfiguration {
    /// UnionPay's test environment: an address and certificates of its own, so that what is signed there says nothing about
    /// real money.
    public struct TestEnvironment: Hashable, Sendable {
        public var url: String
        /// PEM files.
        public var root: String
        public var middle: String
        public var settlementURL: String?

        public init(url: String, root: String, middle: String, settlementURL: String? = nil) {
            (self.url, self.root, self.middle, self.settlementURL) = (url, root, middle, settlementURL)
        }
    }
}

extension UnionPayConfiguration: AcquirerSetup {
    public static let name = UnionPay.name

    /// Domestic cards. The key (merId, orderId, txnTime) makes a repetition the same transaction. There is no field for
    /// 3-D Secure cryptograms.
    public static let capabilities = AcquirerCapabilities(
        hasIdempotencyKey: true, namesOrder: true, operations: Set(OperationKind.allCases), currencies: [.cny],
        paymentData: [.emv])

    /// `backUrl`.
    public static let endpoints = [AcquirerEndpoint(contentType: "application/x-www-form-urlencoded")]

    public func connector(
        for registry: MerchantRegistry, in folder: URL, client: HTTPClient, logger: Logger
    ) throws(ConfigurationError) -> AcquirerConnector {
        let unionPay = try UnionPay(self, registry: registry, folder: folder, client: client, logger: logger)
        return AcquirerConnector(
            unionPay,
            files: [root, middle] + [test?.root, test?.middle].compactMap(\.self) + unionPay.merchants.files,
            certificates: unionPay.certificates)
    }
}
