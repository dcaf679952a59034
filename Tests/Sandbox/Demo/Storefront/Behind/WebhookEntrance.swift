import OrchardCrypto
import OrchardHTTPTypes

/// `POST /webhooks` of the shop's server, where it is the merchant's endpoint for webhooks.
struct WebhookEntrance: Sendable {
    static let path = "/webhooks"

    /// What signs the messages.
    let secret: [UInt8]
    let shelf: WebhookShelf

    /// Takes a message whose signature is right.
    func receive(_ request: HTTPRequest) -> HTTPResponse {
        switch ShopInbox.verify(request, secret, 0) {
        case .success(let message):
            shelf.put(message)
            return HTTPResponse(status: .noContent)
        case .failure(let refusal):
            return .problem(Problem(.badRequest, code: "webhook-refused", detail: refusal.reason))
        }
    }

    /// The bytes of a secret as `merchants.json` names it: `whsec_` and base64; nil for any other text.
    static func secret(_ text: String) -> [UInt8]? {
        guard text.hasPrefix("whsec_"), let bytes = Base64.decode(String(text.dropFirst(6))), bytes.count >= 24 else {
            return nil
        }
        return bytes
    }
}
