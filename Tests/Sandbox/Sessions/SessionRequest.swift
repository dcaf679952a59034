import Foundation
public import OrchardJSON
import SandboxPKI
import SandboxWallet

/// What a merchant's server asked of Apple's.
public struct SessionRequest: Sendable {
    /// The number of its connection, from 1.
    public let connection: Int
    /// The merchant whose certificate the client showed; nil for one that is not registered.
    public let client: String?
    /// Method and path, as in `POST /paymentservices/paymentSession`.
    public let target: String
    /// The body; nil when it is no JSON.
    public let body: JSONValue?
    private static let path = "POST /paymentservices/paymentSession"

    init(connection: Int, client: String?, head: String, body: [UInt8]) {
        self.connection = connection
        self.client = client
        target = head.prefix { $0 != "\r\n" }.split(separator: " ").prefix(2).joined(separator: " ")
        self.body = try? JSONValue(parsing: body)
    }

    /// Apple's answer: a session, or a refusal.
    func answer(by wallet: Wallet) -> [UInt8] {
        guard target == Self.path else { return Self.refusal(404, "no such endpoint") }
        guard let merchant = text("merchantIdentifier", upTo: 255), let name = text("displayName", upTo: 64),
            body?.members?.count == 4, body?["initiative"]?.string == "web",
            let context = text("initiativeContext", upTo: 253), !context.contains(where: { "/:@".contains($0) })
        else { return Self.refusal(400, "merchantIdentifier, displayName, initiative web and initiativeContext") }
        guard merchant == client else { return Self.refusal(417, "merchant is not registered") }
        guard let session = try? MerchantSession.issue(to: merchant, named: name, for: context, by: wallet) else {
            return Self.refusal(500, "no session could be signed")
        }
        return HTTPText.answer(200, String(decoding: session, as: UTF8.self))
    }

    private func text(_ member: String, upTo limit: Int) -> String? {
        body?[member]?.string.flatMap { (1...limit).contains($0.utf8.count) ? $0 : nil }
    }

    private static func refusal(_ status: Int, _ message: String) -> [UInt8] {
        HTTPText.answer(status, #"{"statusCode":"\#(status)","statusMessage":"\#(message)"}"#)
    }
}
