import Charging
import Contracts
import Foundation
import OrchardCrypto
import OrchardHTTPClient
import OrchardHTTPTypes
import OrchardServiceKit

/// UnionPay's ACP 5.1.0 in API mode: sales of decrypted Apple Pay cards, queries and notifications.
///
/// Its key of a transaction is (merId, orderId, txnTime): a repetition of all three can only be the same transaction.
public struct UnionPay: Acquirer {
    /// As routes of `merchants.json` name it.
    public static let name = "unionpay"

    let configuration: UnionPayConfiguration
    let merchants: UnionPayMerchants
    let trust: UnionPayTrust
    private let client: HTTPClient
    private let logger: Logger

    /// Reads certificates and keys.
    ///
    /// - Parameters:
    ///   - registry: whose routes to UnionPay it serves.
    ///   - folder: the folder of `merchants.json`, from which paths in it are taken.
    ///   - client: set up as ``UnionPayConfiguration/client`` says, and run by the caller.
    /// - Throws: ``ConfigurationError`` with every certificate, key and route that is wrong.
    init(
        _ configuration: UnionPayConfiguration, registry: MerchantRegistry, folder: URL, client: HTTPClient,
        logger: Logger
    ) throws(ConfigurationError) {
        var problems: [ConfigurationError.Problem] = []
        let trust = UnionPayTrust(configuration, problems: &problems)
        merchants = UnionPayMerchants(registry, folder: folder, problems: &problems)
        guard let trust, problems.isEmpty else { throw ConfigurationError(problems: problems) }
        self.trust = trust
        self.configuration = configuration
        self.client = client
        self.logger = logger
    }

    public var name: String { Self.name }

    public func send(_ charge: Charge, card: borrowing CardData, at time: Timestamp) async -> SendOutcome {
        let key: TransactionKey
        let form: SecretBytes
        do throws(RequestError) {
            key = try self.key(of: charge)
            form = try sale(of: charge, card, as: key)
        } catch {
            return error.isPermanent ? .unsendable(reason: error.reason) : .notSent(reason: error.reason)
        }
        let outcome = await post(form, to: "backTransReq.do", within: configuration.saleTimeout)
        return saleOutcome(outcome, of: key.reference, at: time)
    }

    public func query(_ charge: Charge, at time: Timestamp) async -> QueryOutcome {
        let key: TransactionKey
        let form: SecretBytes
        do throws(RequestError) {
            key = try self.key(of: charge)
            form = try query(for: key)
        } catch {
            return .misconfigured(reason: error.reason)
        }
        let outcome = await post(form, to: "queryTrans.do", within: configuration.queryTimeout)
        return queryOutcome(outcome, of: key.reference, at: time)
    }

    public func notification(
        _ request: HTTPRequest, at time: Timestamp
    ) throws(NotificationError) -> AcquirerNotification {
        let message = try ACPMessage(form: request.body)
        try trust.verify(message, at: time)
        let claim = try claim(of: message)
        log("UnionPay notified", claim.reference, message)
        return claim
    }

    /// Sends a form and wipes it.
    private func post(_ form: consuming SecretBytes, to name: String, within timeout: Duration) async -> HTTPOutcome {
        let request = HTTPClientRequest(
            method: .post, url: configuration.address(name),
            fields: ["Content-Type": "application/x-www-form-urlencoded;charset=UTF-8"],
            body: form.withBytes { $0 }, timeout: timeout)
        let outcome = await client.send(request)
        // The request shares the form's memory, which is wiped here and not before.
        _ = consume form
        return outcome
    }

    /// Logs the codes of a verified message; UnionPay's support asks for the detail.
    func log(_ event: String, _ reference: AcquirerReference, _ message: ACPMessage) {
        logger.debug(
            event,
            [
                "orderId": reference.orderNumber, "respCode": message["respCode"] ?? "",
                "origRespCode": message["origRespCode"] ?? "", "detail": message.detailCode ?? "",
            ])
    }
}
