import Contracts
import Foundation
import OrchardHTTPClient
import OrchardServiceKit

extension UnionPayConfiguration: AcquirerSetup {
    public static let name = UnionPay.name

    /// Domestic sales. The key (merId, orderId, txnTime) makes a repetition the same transaction. There is no field for
    /// 3-D Secure cryptograms.
    public static let capabilities = AcquirerCapabilities(
        hasIdempotencyKey: true, operations: [.sale], currencies: [.cny], paymentData: [.emv])

    /// `backUrl`.
    public static let endpoints = [AcquirerEndpoint(contentType: "application/x-www-form-urlencoded")]

    public func connector(
        for registry: MerchantRegistry, in folder: URL, client: HTTPClient, logger: Logger
    ) throws(ConfigurationError) -> AcquirerConnector {
        let unionPay = try UnionPay(self, registry: registry, folder: folder, client: client, logger: logger)
        return AcquirerConnector(
            unionPay, files: [root, middle] + unionPay.merchants.files, certificates: unionPay.merchants.certificates)
    }
}
