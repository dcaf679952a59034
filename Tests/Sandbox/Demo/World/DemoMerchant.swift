import Contracts
import Foundation
import OrchardCrypto
import OrchardJSON

/// The two merchants of the demo.
struct DemoMerchant: Sendable {
    let id: MerchantID
    let name: String
    /// Apple's identifier.
    let appleIdentifier: String
    /// UnionPay's number.
    let account: String
    /// The key of the shop's server.
    let apiKey: String
}

extension DemoMerchant {
    /// Two shops with fresh identifiers and keys.
    static func pair(now: Timestamp) -> [DemoMerchant] {
        [
            (Catalogue.shopName, "merchant.example.orchard.tea", "777290058110048"),
            ("Orchard Books", "merchant.example.orchard.books", "777290058167151"),
        ].map { name, apple, account in
            DemoMerchant(
                id: MerchantID(time: now, randomness: SecureRandom.bytes(10)), name: name, appleIdentifier: apple,
                account: account, apiKey: "demo_" + Hex.encode(SecureRandom.bytes(24)))
        }
    }

    /// The merchant's entry in `merchants.json`.
    ///
    /// - Parameters:
    ///   - wallet: the wallet's folder, relative to the file.
    ///   - acquirer: the folder of the acquirer's keys, relative to the file.
    ///   - webhook: the address of the shop's server and the file of its secret; nil for none.
    ///   - web: for a shop on the web; nil for apps alone.
    func registryEntry(
        wallet: String, acquirer: String, webhook: (url: String, secret: String)?, web: WebShop?
    ) -> JSONValue {
        let keys = ["EC_v1", "RSA_v1"].map { scheme -> JSONValue in
            let stem = "\(wallet)/\(appleIdentifier)/processing-\(scheme)-1"
            return .object(["key": .string("\(stem).key.pem"), "certificate": .string("\(stem).cert.pem")])
        }
        let webhooks = webhook.map { webhook -> [JSONValue] in
            [
                .object([
                    "id": .string("shop"), "url": .string(webhook.url), "secrets": .array([.string(webhook.secret)]),
                    "allowPrivateAddress": .bool(true),
                ])
            ]
        }
        return .object([
            "webhooks": .array(webhooks ?? []),
            "id": .string(id.description), "displayName": .string(name), "countryCode": .string("CN"),
            "networks": .array(["chinaUnionPay", "visa", "masterCard", "jcb"].map { .string($0) }),
            "applePay": .object(
                [JSONMember("merchantIdentifier", .string(appleIdentifier)), JSONMember("keys", .array(keys))]
                    + (web == nil ? [] : identity(wallet))),
            "origins": .array((web?.origins ?? []).map { .string($0) }),
            "routes": .array([
                .object([
                    "id": .string("unionpay-1"), "acquirer": .string("unionpay"), "account": .string(account),
                    "environment": .string("test"),
                    "currencies": .array([.string("CNY")]), "paymentData": .array([.string("EMV")]),
                    "settings": .object([
                        "signingKey": .string("\(acquirer)/merchant.key"),
                        "signingCertificate": .string("\(acquirer)/merchant.pem"),
                    ]),
                ])
            ]),
            "cardRanges": .array([.object(["prefix": .string("62"), "type": .string("credit")])]),
            "apiKeys": .array([
                .object([
                    "id": .string("shop"), "sha256": .string(Hex.encode(SHA256.hash(Array(apiKey.utf8)))),
                ])
            ]),
        ])
    }

    /// What Apple knows of the merchant's pages: its Merchant Identity and its domain.
    private func identity(_ wallet: String) -> [JSONMember] {
        let stem = "\(wallet)/\(appleIdentifier)/identity"
        return [
            JSONMember(
                "identities",
                [["key": .string("\(stem).key.pem"), "certificate": .string("\(stem).cert.pem")]]),
            JSONMember(
                "domains",
                [["domain": .string(WebShop.domain), "associationFile": .string(Workspace.associationFile)]]),
        ]
    }
}
