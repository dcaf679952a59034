import Ledger
import Testing

@Suite("When a webhook is sent again")
struct WebhookRetryTests {
    @Test(
        "after a pause that grows to 15 minutes",
        arguments: [
            (0, 0), (1, 5), (2, 10), (3, 20), (4, 40), (5, 80), (6, 160), (7, 320), (8, 640), (9, 900), (10_000, 900),
        ])
    func pauses(_ failures: Int, _ seconds: Int) {
        #expect(WebhookRetry.pause(after: failures) == .seconds(seconds))
    }

    @Test("only 2xx is a delivery", arguments: [200, 201, 204, 299])
    func delivered(_ status: Int) {
        #expect(WebhookRetry.verdict(.answered(status: status), age: .seconds(9_999_999), failures: 9) == .delivered)
    }

    @Test(
        "anything else is tried again for 3 days, and then parked",
        arguments: [100, 199, 300, 301, 307, 400, 404, 410, 500])
    func failed(_ status: Int) {
        for result in [WebhookRetry.Result.answered(status: status), .failed] {
            #expect(WebhookRetry.verdict(result, age: .zero, failures: 0) == .retry(after: .seconds(5)))
            #expect(
                WebhookRetry.verdict(result, age: .seconds(259_199), failures: 3) == .retry(after: .seconds(40)))
            #expect(WebhookRetry.verdict(result, age: .seconds(259_200), failures: 3) == .parked)
        }
    }

    @Test("a worker that is stopped gives the message back: no try, however old it is")
    func stopped() {
        #expect(WebhookRetry.verdict(.stopped, age: .seconds(999_999), failures: 5) == .released)
    }

    @Test("a lease outlasts a send, and ends before anybody notices")
    func lease() { #expect(WebhookRetry.lease == .seconds(60)) }
}
