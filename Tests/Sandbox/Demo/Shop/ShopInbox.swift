import Contracts
import Foundation
import OrchardCrypto
import OrchardHTTPServer
import OrchardHTTPTypes
import OrchardJSON
import OrchardServiceKit

/// The shops' own order system: takes webhooks, verifies them, and keeps what it was told.
///
/// It may refuse each merchant's first message, so that a message comes again.
final class ShopInbox: Sendable {
    /// A message that was verified.
    struct Message: Hashable, Sendable {
        let id: String
        let merchant: Int
        let type: String
        let order: OrderID?
        let payment: PaymentID?
        let minorUnits: Int64?
        let reason: String?
    }

    private struct State {
        var messages: [Message] = []
        var refusals: [String: Int] = [:]
        var refused: Set<Int> = []
    }

    /// The secret of each merchant.
    let secrets: [[UInt8]]
    private let state = Locked(State())
    let server: HTTPServer

    /// - Parameters:
    ///   - merchants: how many.
    ///   - refusesFirst: whether each merchant's first message must come again.
    ///   - listener: gets each message instead of ``contents``.
    init(merchants: Int, refusesFirst: Bool = true, listener: (@Sendable (Message) -> Void)? = nil) {
        secrets = (0..<merchants).map { _ in SecureRandom.bytes(32) }
        var router = Router()
        router.on(.post, "/webhooks/{merchant}") { [state, secrets] request, parameters in
            let merchant = parameters["merchant"].flatMap { Int($0) } ?? -1
            guard secrets.indices.contains(merchant) else { return HTTPResponse(status: .notFound) }
            let verdict = Self.verify(request, secrets[merchant], merchant)
            return state.withLock { state in
                switch verdict {
                case .failure(let refusal):
                    state.refusals[refusal.reason, default: 0] += 1
                    return HTTPResponse(status: .badRequest)
                case .success(let message):
                    guard !refusesFirst || !state.refused.insert(merchant).inserted else {
                        return HTTPResponse(status: .serviceUnavailable)
                    }
                    if let listener { listener(message) } else { state.messages.append(message) }
                    return HTTPResponse(status: .noContent)
                }
            }
        }
        server = HTTPServer(
            configuration: HTTPServerConfiguration(host: "127.0.0.1", port: 0), router: router,
            logger: Logger(label: "demo.shop", level: .critical))
    }

    /// What was taken, in the order of its coming, and why other requests were not.
    var contents: (messages: [Message], refusals: [String: Int]) {
        state.withLock { ($0.messages, $0.refusals) }
    }

    /// Why a request is no message of ours.
    struct Refusal: Error { let reason: String }

    /// As docs/webhooks.md shows it in Python, without the services' own code.
    static func verify(
        _ request: HTTPRequest, _ secret: [UInt8], _ merchant: Int
    ) -> Result<Message, Refusal> {
        let fields = request.fields
        guard let id = fields["webhook-id"], let sent = fields["webhook-timestamp"], let time = Double(sent) else {
            return .failure(Refusal(reason: "no id or time"))
        }
        guard abs(Date().timeIntervalSince1970 - time) < 300 else { return .failure(Refusal(reason: "an old message")) }
        let code = authenticate(Array("\(id).\(sent).".utf8) + request.body, with: secret)
        let signatures = (fields["webhook-signature"] ?? "").split(separator: " ")
        guard signatures.contains("v1,\(Base64.encode(code))"[...]) else {
            return .failure(Refusal(reason: "a wrong signature"))
        }
        guard let json = try? JSONValue(parsing: request.body), let type = json["type"]?.string else {
            return .failure(Refusal(reason: "no message"))
        }
        let (data, payment) = (json["data"], json["data"]?["payment"])
        var minorUnits: Int64?
        // What was captured, undone or given back; else what was paid or held.
        if case .integer(let units)? = (data?["followUp"] ?? payment ?? data)?["amount"]?["minorUnits"] {
            minorUnits = units
        }
        return .success(
            Message(
                id: id, merchant: merchant, type: type, order: data?["orderId"]?.string.flatMap { OrderID($0) },
                payment: payment?["paymentId"]?.string.flatMap { PaymentID($0) }, minorUnits: minorUnits,
                reason: payment?["reason"]?.string))
    }

    /// HMAC-SHA256 (RFC 2104).
    static func authenticate(_ message: [UInt8], with key: [UInt8]) -> [UInt8] {
        let key = (key.count > 64 ? SHA256.hash(key) : key)
        let block = key + [UInt8](repeating: 0, count: 64 - key.count)
        return SHA256.hash(block.map { $0 ^ 0x5C } + SHA256.hash(block.map { $0 ^ 0x36 } + message))
    }
}
