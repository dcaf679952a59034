import Foundation
import OrchardCrypto
import OrchardHTTPTypes
import OrchardServiceKit
import Testing

@testable import SandboxDemo

@Suite("The webhooks of the shop's own server")
struct WebhookEntranceTests {
    private static let secret = [UInt8](repeating: 7, count: 32)
    private let shelf = WebhookShelf()

    private func receive(signedBy key: [UInt8] = secret, at time: Date = Date()) -> HTTPResponse {
        let body = Array(#"{"type": "order.paid", "data": {"orderId": "0190a0b0c0d070008102030405060708"}}"#.utf8)
        let sent = "\(Int(time.timeIntervalSince1970))"
        let code = ShopInbox.authenticate(Array("m1.\(sent).".utf8) + body, with: key)
        return WebhookEntrance(secret: Self.secret, shelf: shelf).receive(
            HTTPRequest(
                method: .post, target: "/webhooks",
                fields: [
                    "webhook-id": "m1", "webhook-timestamp": sent, "webhook-signature": "v1,\(Base64.encode(code))",
                ], body: body))
    }

    @Test("one whose signature is right is shown")
    func right() {
        #expect(receive().status == .noContent)
        #expect(shelf.take().map(\.kind) == ["order.paid"])
    }

    @Test("one of a stranger, or an old one, is refused and shown nowhere")
    func wrong() {
        #expect(receive(signedBy: [1]).status == .badRequest)
        #expect(receive(at: Date(timeIntervalSinceNow: -600)).status == .badRequest)
        #expect(shelf.take().isEmpty)
    }

    @Test(
        "a secret is whsec_ and enough bytes in base64",
        arguments: [
            ("whsec_" + Base64.encode(secret), true), (Base64.encode(secret), false), ("whsec_", false),
            ("whsec_!", false), ("whsec_" + Base64.encode([1, 2, 3]), false), ("", false),
        ])
    func secrets(_ text: String, _ isRight: Bool) {
        #expect(WebhookEntrance.secret(text) == (isRight ? Self.secret : nil))
    }
}
