import Charging
import Contracts
import Foundation
import KeyFiles
import OrchardCrypto
import OrchardHTTPClient
import OrchardHTTPTypes
import OrchardServiceKit

/// UnionPay's ACP 5.1.0 in API mode: sales and authorisations of decrypted Apple Pay cards, what follows them, queries and
/// notifications.
///
/// Its key of a transaction is (merId, orderId, txnTime): a repetition of all three can only be the same transaction.
public struct UnionPay: Acquirer {
    /// As routes of `merchants.json` name it.
    public static let name = "unionpay"

    let configuration: UnionPayConfiguration
    let merchants: UnionPayMerchants
    private let liveTrust: UnionPayTrust
    private let testTrust: UnionPayTrust
    let client: HTTPClient
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
        let live = UnionPayTrust(
            root: configuration.root, middle: configuration.middle, of: "unionpay", problems: &problems)
        let test =
            if let test = configuration.test {
                UnionPayTrust(root: test.root, middle: test.middle, of: "unionpay.test", problems: &problems)
            } else { live }
        merchants = UnionPayMerchants(registry, folder: folder, problems: &problems)
        if configuration.test == nil, merchants.environments.count > 1 {
            problems.append(
                .init(
                    key: "unionpay.test.url",
                    reason: "is needed for test routes beside live ones: else tests would move real money"))
        }
        guard let live, let test, problems.isEmpty else { throw ConfigurationError(problems: problems) }
        (liveTrust, testTrust) = (live, test)
        self.configuration = configuration
        self.client = client
        self.logger = logger
    }

    public var name: String { Self.name }

    /// The certificates whose end stops payments: the merchants', and those that UnionPay's messages lead to.
    var certificates: [CertificateExpiry] {
        var all = merchants.certificates + liveTrust.expiries(of: "unionpay")
        if configuration.test != nil { all += testTrust.expiries(of: "unionpay.test") }
        return all
    }

    public func send(_ charge: Charge, card: borrowing CardData, at time: Timestamp) async -> SendOutcome {
        let key: TransactionKey
        let form: SecretBytes
        do throws(RequestError) {
            key = try self.key(of: charge.reference)
            form = try request(of: charge, card, as: key)
        } catch {
            return error.outcome
        }
        let outcome = await post(form, of: key, to: "backTransReq.do", within: configuration.saleTimeout)
        return sendOutcome(outcome, of: TransactionType(charge), key.reference, at: time)
    }

    public func query(_ charge: Charge, at time: Timestamp) async -> QueryOutcome {
        await query(charge.reference, as: TransactionType(charge), at: time)
    }

    public func send(_ followUp: FollowUp, at time: Timestamp) async -> SendOutcome {
        guard let type = TransactionType(followUp) else { return .unsendable(reason: Self.cannotUndo) }
        let key: TransactionKey
        let form: SecretBytes
        do throws(RequestError) {
            key = try self.key(of: followUp.reference)
            form = try request(of: followUp, type, as: key)
        } catch {
            return error.outcome
        }
        let outcome = await post(form, of: key, to: "backTransReq.do", within: configuration.saleTimeout)
        return sendOutcome(outcome, of: type, key.reference, at: time)
    }

    public func query(_ followUp: FollowUp, at time: Timestamp) async -> QueryOutcome {
        guard let type = TransactionType(followUp) else { return .misconfigured(reason: Self.cannotUndo) }
        return await query(followUp.reference, as: type, at: time)
    }

    private static let cannotUndo = "UnionPay undoes sales, authorisations and captures alone"

    private func query(
        _ reference: AcquirerReference?, as type: TransactionType, at time: Timestamp
    ) async -> QueryOutcome {
        let key: TransactionKey
        let form: SecretBytes
        do throws(RequestError) {
            key = try self.key(of: reference)
            form = try query(for: key)
        } catch {
            return .misconfigured(reason: error.reason)
        }
        let outcome = await post(form, of: key, to: "queryTrans.do", within: configuration.queryTimeout)
        return queryOutcome(outcome, of: type, key.reference, at: time)
    }

    public func notification(
        _ request: HTTPRequest, at time: Timestamp
    ) throws(NotificationError) -> AcquirerNotification {
        let message = try ACPMessage(form: request.body)
        try trust(of: message["merId"]).verify(message, at: time)
        let claim = try claim(of: message)
        log("UnionPay notified", claim.reference, message)
        return claim
    }

    /// Who signs what UnionPay says about an account: its environment's certificates alone.
    ///
    /// - Parameter account: an unknown one is refused after the signature.
    func trust(of account: String?) -> UnionPayTrust {
        account.flatMap { merchants[$0] }?.environment == .test ? testTrust : liveTrust
    }

    /// Sends a form to the environment of its key, and wipes it.
    private func post(
        _ form: consuming SecretBytes, of key: TransactionKey, to name: String, within timeout: Duration
    ) async -> HTTPOutcome {
        let request = HTTPClientRequest(
            method: .post, url: configuration.address(name, in: key.merchant.environment),
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

extension RequestError {
    fileprivate var outcome: SendOutcome { isPermanent ? .unsendable(reason: reason) : .notSent(reason: reason) }
}
