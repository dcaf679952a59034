import Charging
import Contracts
import Foundation
import OrchardHTTPClient
import OrchardHTTPTypes
import OrchardServiceKit
import SandboxAcquirer
import SandboxPKI
import TestSupport

@testable import Acquirers

/// A connector with the sandbox's throw-away certificates.
struct UnionPayFixture {
    /// One for all tests: ten RSA keys take a while.
    private static let shared = Result { try AcquirerPKI(merchants: [Sample.account]) }

    let pki: AcquirerPKI
    let folder: TemporaryFolder
    let unionPay: UnionPay

    init(
        pki: AcquirerPKI? = nil, url: String = "http://127.0.0.1:9", notifications: String? = nil,
        client: HTTPClient = HTTPClient(), logger: Logger = Logger(label: "test"),
        _ change: (inout UnionPayConfiguration) -> Void = { _ in }
    ) throws {
        self.pki = try pki ?? Self.shared.get()
        folder = try TemporaryFolder()
        try self.pki.save(to: folder.url)
        var configuration = UnionPayConfiguration(
            url: url, notifications: notifications ?? "https://pay.example.com/unionpay/notify",
            root: folder.url.appending(path: "unionpay_root.pem").path,
            middle: folder.url.appending(path: "unionpay_middle.pem").path)
        change(&configuration)
        unionPay = try UnionPay(
            configuration, registry: try Self.registry(), folder: folder.url, client: client, logger: logger)
    }

    /// A `merchants.json` with one merchant, whose first route has those members changed.
    static func registry(_ changes: [String: Any] = [:]) throws -> MerchantRegistry {
        let route: [String: Any] = [
            "id": "unionpay-1", "environment": "test", "acquirer": "unionpay", "account": Sample.account,
            "currencies": ["CNY"],
            "paymentData": ["EMV"], "settings": ["signingKey": "merchant.key", "signingCertificate": "merchant.pem"],
        ]
        let merchant: [String: Any] = [
            "id": String(repeating: "a", count: 32), "displayName": "Orchard Tea", "countryCode": "CN",
            "networks": ["chinaUnionPay"],
            "applePay": ["merchantIdentifier": "merchant.com.example", "keys": [["key": "apple.pem"]]],
            "routes": [route.merging(changes) { $1 }],
            "apiKeys": [["id": "shop-1", "sha256": String(repeating: "0", count: 64)]],
        ]
        return try MerchantRegistry(parsing: Array(JSONSerialization.data(withJSONObject: ["merchants": [merchant]])))
    }

    /// A notification as it comes in.
    static func request(_ body: [UInt8]) -> HTTPRequest {
        HTTPRequest(
            method: .post, target: "/v1/notifications/unionpay",
            fields: ["Content-Type": "application/x-www-form-urlencoded"], body: body)
    }

    /// Now, when the certificates are valid.
    static var now: Timestamp { Timestamp(seconds: Int64(Date().timeIntervalSince1970)) }

    /// The fields by which a message names the charge, and its amount.
    static func subject(of charge: Charge) -> [String: String] {
        [
            "merId": charge.reference?.account ?? "", "orderId": charge.reference?.orderNumber ?? "",
            "txnTime": charge.reference?.time.transactionTime ?? "", "txnType": "01", "txnSubType": "01",
            "txnAmt": String(charge.amount.minorUnits), "currencyCode": charge.amount.currency.numeric,
            "reqReserved": charge.reserved, "queryId": Sample.serial, "settleDate": "1121",
        ]
    }

    /// The fields by which a message names the follow-up, and its amount.
    static func subject(of followUp: FollowUp) -> [String: String] {
        let type = TransactionType(followUp)
        return [
            "merId": followUp.reference.account, "orderId": followUp.reference.orderNumber,
            "txnTime": followUp.reference.time.transactionTime, "txnType": type?.txnType ?? "",
            "txnSubType": type?.txnSubType ?? "", "txnAmt": String(followUp.amount.minorUnits),
            "currencyCode": followUp.amount.currency.numeric, "reqReserved": followUp.reserved,
            "queryId": "782611221503220000028", "origQryId": followUp.originalSerial ?? "", "settleDate": "1122",
        ]
    }

    /// A whole answer with that body.
    static func answered(_ body: [UInt8], status: HTTPStatus = .ok, isCloseDelimited: Bool = false) -> HTTPOutcome {
        .answered(
            HTTPAnswer(response: HTTPResponse(status: status, body: body), isCloseDelimited: isCloseDelimited))
    }
}
