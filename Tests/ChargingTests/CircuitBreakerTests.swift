import Contracts
import Testing

@testable import Charging

@Suite("A circuit breaker")
struct CircuitBreakerTests {
    let start = Sample.start
    let refused = SendOutcome.notSent(reason: "refused", fault: .unreachable)
    let badSignature = SendOutcome.answered(
        AcquirerAnswer(.declined(.configuration), result: Sample.result("11"), fault: .signatureRefused))
    let taken = SendOutcome.answered(Sample.answer(.accepted))

    @Test(
        "opens after three sends in a row without a connection, and at the first refused signature",
        arguments: [
            (.notSent(reason: "refused", fault: .unreachable), 3), (.notSent(reason: "tls", fault: .tls), 3),
            (
                .answered(
                    AcquirerAnswer(.declined(.configuration), result: Sample.result("11"), fault: .signatureRefused)),
                1
            ),
            (.notSent(reason: "cancelled"), nil), (.unknown(reason: "timeout"), nil),
            (.unsendable(reason: "no EMV"), nil),
            (.answered(Sample.answer(.declined(.insufficientFunds), code: "64")), nil),
            (.answered(Sample.answer(.declined(.configuration), code: "10")), nil),
        ] as [(SendOutcome, Int?)])
    func opens(outcome: SendOutcome, after count: Int?) {
        var breaker = CircuitBreaker()
        for number in 1...20 {
            #expect(breaker.permission(at: start) == .send)
            breaker.receive(outcome, at: start)
            guard number < count ?? .max else { break }
        }
        #expect((breaker.fault != nil) == (count != nil))
        #expect(breaker.permission(at: start) == (count == nil ? .send : .wait(until: start + .seconds(1))))
    }

    @Test("counts failures in a row: an answer in between begins anew")
    func inARow() {
        var breaker = CircuitBreaker()
        for _ in 1...10 {
            for outcome in [refused, refused, taken] { breaker.receive(outcome, at: start) }
        }
        #expect(breaker.state == .closed)
    }

    @Test("lets one probe pass when the wait is over, and waits longer each time that it fails")
    func probes() {
        var breaker = CircuitBreaker()
        breaker.receive(badSignature, at: start)
        var time = start
        for wait in [1, 2, 4, 8, 15, 30, 30] {
            #expect(breaker.permission(at: time) == .wait(until: time + .seconds(wait)))
            time = time + .seconds(wait)
            #expect(breaker.permission(at: time) == .send)
            #expect(breaker.permission(at: time) == .wait(until: time + .seconds(2)), "one at a time")
            breaker.receive(badSignature, at: time)
        }
        time = time + .seconds(30)
        #expect(breaker.permission(at: time) == .send)
        breaker.receive(taken, at: time)
        #expect(breaker.state == .closed && breaker.permission(at: time) == .send)
        breaker.receive(badSignature, at: time)
        #expect(breaker.permission(at: time) == .wait(until: time + .seconds(1)), "and begins anew")
    }

    @Test("tries another probe when nobody hears of one")
    func lostProbe() {
        var breaker = CircuitBreaker()
        breaker.receive(badSignature, at: start)
        #expect(breaker.permission(at: start + .seconds(1)) == .send)
        #expect(breaker.permission(at: start + .seconds(30)) == .wait(until: start + .seconds(31)))
        #expect(breaker.permission(at: start + .seconds(31)) == .send)
    }

    @Test(
        "takes a time-out of a probe for a connection, and for nothing about the signature",
        arguments: [true, false])
    func timeout(ofSignature: Bool) {
        var breaker = CircuitBreaker()
        for _ in 1...3 { breaker.receive(ofSignature ? badSignature : refused, at: start) }
        #expect(breaker.permission(at: start + .seconds(1)) == .send)
        breaker.receive(.unknown(reason: "timeout"), at: start + .seconds(9))
        #expect((breaker.fault != nil) == ofSignature)
    }

    @Test("hears nothing new in failures of sends that had left before it opened")
    func stragglers() {
        var breaker = CircuitBreaker()
        for _ in 1...50 { breaker.receive(refused, at: start) }
        #expect(breaker.state == .open(.unreachable, until: start + .seconds(1)))
    }
}
