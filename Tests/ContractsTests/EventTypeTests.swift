import Contracts
import Testing

@Suite("EventType")
struct EventTypeTests {
    @Test(
        "a newer version's type has the form of ours",
        arguments: [
            ("orchard.payment.succeeded.v1", true), ("orchard.payment.refundRequested.v12", true),
            ("orchard.payment.\u{0}.v1", false), ("orchard..succeeded.v1", false), ("orchard.payment.succeeded", false),
            ("orchard.payment.succeeded.v", false), ("orchard.payment.succeeded.1", false),
            ("apple.payment.succeeded.v1", false), ("orchard.payment.suc ceeded.v1", false), ("", false),
            ("orchard.a.\(String(repeating: "b", count: 100)).v1", false),
        ])
    func form(type: String, isOurs: Bool) {
        #expect(EventType.isOurs(type) == isOurs)
    }
}
