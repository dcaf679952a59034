import Contracts
import OrchardCrypto
import Testing

@testable import Ledger

@Suite("The signature of a webhook")
struct WebhookSignatureTests {
    private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    /// The published example of Standard Webhooks' libraries.
    private static let example = WebhookSignature(
        id: "msg_p5jXN8AQM9LWM0D4loKWxJek", time: Timestamp(seconds: 1_614_265_330),
        body: Array(#"{"test": 2432232314}"#.utf8))

    private static func key(_ text: String) -> HMACKey? { HMACKey(webhookSecret: SecretBytes(copying: text.utf8)) }

    @Test("is that of Standard Webhooks' example")
    func vector() throws {
        let key = try #require(Self.key(Self.secret))
        #expect(Self.example.timestamp == "1614265330")
        #expect(Self.example.header([key]) == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test("is another one with another body, id or time")
    func others() throws {
        let key = try #require(Self.key(Self.secret))
        let (id, time, body) = (Self.example.id, Self.example.time, Self.example.body)
        for other in [
            WebhookSignature(id: id, time: time, body: body + [0x20]),
            WebhookSignature(id: id + "x", time: time, body: body),
            WebhookSignature(id: id, time: time + .seconds(1), body: body),
        ] {
            #expect(other.header([key]) != Self.example.header([key]))
        }
    }

    @Test("is there once for each secret of a rotation, in the order of the file")
    func rotation() throws {
        let old = try #require(Self.key(Self.secret))
        let new = HMACKey(SecretBytes(copying: [UInt8](repeating: 7, count: 32)))
        #expect(
            Self.example.header([new, old]) == "\(Self.example.header([new])) \(Self.example.header([old]))")
    }

    @Test("takes secrets of one form only", arguments: ["\n", "\r\n", ""])
    func secrets(_ end: String) throws {
        #expect(Self.key(Self.secret + end) != nil)
        let (short, long) = (
            Base64.encode([UInt8](repeating: 1, count: 23)), Base64.encode([UInt8](repeating: 1, count: 65))
        )
        for text in [
            "", "whsec_", Self.secret.dropFirst(6).description, "whsec_\(short)", "whsec_\(long)", " " + Self.secret,
            Self.secret + " ", "WHSEC_" + Self.secret.dropFirst(6), "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS_",
        ] {
            #expect(Self.key(text + end) == nil, "\(text)")
        }
    }
}
