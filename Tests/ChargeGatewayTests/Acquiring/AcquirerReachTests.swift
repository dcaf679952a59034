import ServiceKit
import Testing

@testable import ChargeGateway

@Suite("An acquirer that does not answer")
struct AcquirerReachTests {
    private let readiness = Readiness()

    @Test("is told by the readiness after some requests in a row, until it answers again")
    func outage() {
        let reach = AcquirerReach(readiness)
        for _ in 1..<AcquirerReach.patience { reach.note("unionpay", hasAnswered: false) }
        #expect(readiness.report.isReady)
        reach.note("unionpay", hasAnswered: false)
        #expect(readiness.report.components["acquirer unionpay"]?.isReady == false)
        reach.note("unionpay", hasAnswered: true)
        #expect(readiness.report.components["acquirer unionpay"]?.isReady == true)
    }

    @Test("is not one of which now and then an answer is lost")
    func lostAnswers() {
        let reach = AcquirerReach(readiness)
        for number in 0..<100 { reach.note("unionpay", hasAnswered: number.isMultiple(of: AcquirerReach.patience)) }
        #expect(readiness.report.isReady)
    }

    @Test("is told apart from others")
    func others() {
        let reach = AcquirerReach(readiness)
        for _ in 0..<AcquirerReach.patience {
            reach.note("unionpay", hasAnswered: false)
            reach.note("other", hasAnswered: true)
        }
        #expect(readiness.report.components["acquirer unionpay"]?.isReady == false)
        #expect(readiness.report.components["acquirer other"]?.isReady == true)
    }
}
