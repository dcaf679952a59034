import Acquirers
import Charging
import Contracts
import OrchardHTTPTypes
import OrchardServiceKit
import Testing

@testable import ChargeGateway

@Suite("An acquirer that does not answer")
struct AcquirerHealthTests {
    private let readiness = Readiness()

    @Test("is told by the readiness after some requests in a row, until it answers again")
    func outage() {
        let health = AcquirerHealth(readiness)
        for _ in 1..<AcquirerHealth.failureThreshold { health.record("unionpay", hasAnswered: false) }
        #expect(readiness.report.isReady)
        health.record("unionpay", hasAnswered: false)
        #expect(readiness.report.components["acquirer unionpay"]?.isReady == false)
        health.record("unionpay", hasAnswered: true)
        #expect(readiness.report.components["acquirer unionpay"]?.isReady == true)
    }

    @Test("is not one of which now and then an answer is lost")
    func lostAnswers() {
        let health = AcquirerHealth(readiness)
        for number in 0..<100 {
            health.record("unionpay", hasAnswered: number.isMultiple(of: AcquirerHealth.failureThreshold))
        }
        #expect(readiness.report.isReady)
    }

    @Test("is told apart from others")
    func others() {
        let health = AcquirerHealth(readiness)
        for _ in 0..<AcquirerHealth.failureThreshold {
            health.record("unionpay", hasAnswered: false)
            health.record("other", hasAnswered: true)
        }
        #expect(readiness.report.components["acquirer unionpay"]?.isReady == false)
        #expect(readiness.report.components["acquirer other"]?.isReady == true)
    }

    @Test("is not told of queries that our own set-up keeps from being sent")
    func misconfigured() async throws {
        let telemetry = ChargeTelemetry(MetricsRegistry(), logger: Logger(label: "test"))
        let acquirers = AcquirerClient(AcquirerDirectory([Unequipped()]), telemetry: telemetry, readiness: readiness)
        let time = Timestamp(seconds: 1_800_000_000)
        let charge = Charge(
            order: try #require(OrderID("0190a0b0c0d0e0f00102030405060708")),
            payment: try #require(PaymentID("0190a0b0c0d080f08102030405060709")),
            merchant: try #require(MerchantID("0190a0b0c0d0e0f0010203040506070a")), revision: 1,
            amount: Money(minorUnits: 100, currency: try #require(Currency("CNY"))), expiresAt: time, signedAt: time,
            card: nil, route: nil,
            reference: AcquirerReference(acquirer: "unionpay", account: "1", orderNumber: "1", time: time))
        for _ in 0..<AcquirerHealth.failureThreshold {
            #expect(await acquirers.query(.charge(charge), at: time) == .misconfigured(reason: "no key"))
        }
        #expect(readiness.report.components["acquirer unionpay"] == nil)
    }

    /// A connector whose set-up is wrong.
    private struct Unequipped: Acquirer {
        let name = "unionpay"

        func send(_ charge: Charge, card: borrowing CardData, at time: Timestamp) async -> SendOutcome {
            .notSent(reason: "no key")
        }

        func query(_ charge: Charge, at time: Timestamp) async -> QueryOutcome { .misconfigured(reason: "no key") }

        func notification(_ request: HTTPRequest, at time: Timestamp) throws(NotificationError) -> AcquirerNotification
        {
            throw NotificationError(.malformed, "nothing is understood")
        }
    }
}
