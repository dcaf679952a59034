import Contracts
import Testing

@testable import SandboxDemo

@Suite("Whether the day contained what its script requires")
struct ScenarioCheckTests {
    private static let gateways = ["http://127.0.0.1:81", "http://127.0.0.1:82"]

    /// A correct day, with the second half of the races won by the cancel.
    private static func day() -> ScenarioCheck {
        var results: [OrderPlay.Result] = []
        var sales: [AcquirerSale] = []
        var followUps: [AcquirerFollowUp] = []
        var races = 0
        for script in DemoScript(seed: 3, size: 220).orders {
            func bytes(_ count: Int, _ number: Int) -> [UInt8] {
                (0..<count).map { UInt8(truncatingIfNeeded: script.number >> ($0 % 2 * 8)) ^ UInt8(number) }
            }
            let order = OrderID(time: Timestamp(seconds: 1_800_000_000), randomness: bytes(10, 0))
            if script.scenario == .cancelRace { races += 1 }
            let end = script.scenario == .cancelRace && races > 3 ? script.allowedEnds[1] : script.allowedEnds[0]
            let payments = end.payments.indices.map { PaymentID(hash: bytes(16, $0 + 1)) }
            for (number, (payment, outcome)) in zip(payments, end.payments).enumerated() where outcome.isAcquirers {
                let isNotified = !script.scenario.isFoundByQuery
                sales.append(
                    AcquirerSale(
                        booked: BookedPayment(order: order, payment: payment, outcome: outcome),
                        fault: number == 0 ? script.scenario.fault?.name ?? "normal" : "normal",
                        notificationsSent: isNotified ? 1 : 0, isAcknowledged: isNotified, queries: 1,
                        notifiedAddress: gateways[script.number % 2] + "/v1/notifications/unionpay"))
            }
            let isLate = script.scenario == .voidedLate
            let kinds = isLate ? ["31", "04"] : script.scenario == .lostRefund ? ["04"] : []
            followUps += kinds.map { kind in
                AcquirerFollowUp(
                    order: order, kind: kind, amount: 1, isDone: kind == "04",
                    fault: kind == "31" ? "rule_35" : script.scenario.refundFault?.name ?? "normal")
            }
            results.append(
                OrderPlay.Result(
                    played: PlayedOrder(script: script, order: order, payments: payments), published: end.payments,
                    latency: script.scenario.isFoundByQuery ? .milliseconds(3_020) : .milliseconds(60), secrets: []))
        }
        return ScenarioCheck(
            scenes: results, sales: sales, followUps: followUps, gateways: gateways, isChaos: false)
    }

    private func scenarios(_ change: (inout ScenarioCheck) throws -> Void) rethrows -> [Scenario?] {
        var check = Self.day()
        try change(&check)
        return check.findings.map(\.scenario)
    }

    /// The first sale of a scenario.
    private func sale(_ scenario: Scenario, in check: ScenarioCheck) throws -> Int {
        let scene = try #require(
            check.scenes.first { $0.played.script.scenario == scenario && $0.published[0].isAcquirers })
        return try #require(check.sales.firstIndex { $0.booked.payment == scene.played.payments[0] })
    }

    @Test("finds nothing on a correct day")
    func right() {
        #expect(Self.day().findings == [])
    }

    @Test(
        "finds a scripted fault that did not happen, and one that is not in the script",
        arguments: [Scenario.lostAnswer, .lostNotification, .silence, .frozenCard, .lateDecline, .charged, .twoTokens])
    func fault(scenario: Scenario) throws {
        let found = try scenarios { check in
            let index = try sale(scenario, in: check)
            check.sales[index].fault = scenario.fault == nil ? "lost_answer" : "normal"
        }
        #expect(found == [scenario])
    }

    @Test("finds a payment that was not found by the query at 3 s", arguments: [Scenario.lostNotification, .silence])
    func query(scenario: Scenario) throws {
        #expect(
            try scenarios { check in
                let index = try sale(scenario, in: check)
                check.sales[index].notificationsSent = 1
            } == [scenario])
        #expect(
            try scenarios { check in
                let index = try sale(scenario, in: check)
                check.sales[index].queries = 2
            } == [scenario])
        #expect(
            try scenarios { check in
                let index = try #require(check.scenes.firstIndex { $0.played.script.scenario == scenario })
                check.scenes[index].latency = .milliseconds(2_990)
            } == [scenario])
    }

    @Test("finds a refund whose answer was not lost, one whose answer should not have been, and one that never came")
    func refund() throws {
        let first = try #require(Self.day().followUps.firstIndex { $0.fault == "silent_paid" })
        #expect(scenarios { $0.followUps[first].fault = "normal" } == [.lostRefund])
        #expect(scenarios { $0.followUps.remove(at: first) } == [.lostRefund])
        let late = try #require(Self.day().followUps.firstIndex { $0.kind == "31" }) + 1
        #expect(scenarios { $0.followUps[late].fault = "silent_paid" } == [.voidedLate])
    }

    @Test("finds a void after the acquirer's day that was done, and one that was not followed by a refund")
    func lateVoid() throws {
        let void = try #require(Self.day().followUps.firstIndex { $0.kind == "31" })
        #expect(scenarios { $0.followUps[void].isDone = true } == [.voidedLate])
        #expect(scenarios { $0.followUps[void + 1].isDone = false } == [.voidedLate])
        #expect(scenarios { $0.followUps.remove(at: void + 1) } == [.voidedLate])
    }

    @Test("allows a storm's faults where the script has none, and only those")
    func storm() throws {
        var check = Self.day()
        check.stormFaults = ["lost_answer"]
        let plain = try sale(.charged, in: check)
        check.sales[plain].fault = "lost_answer"
        #expect(check.findings == [])
        check.sales[plain].fault = "no_notification"
        #expect(check.findings.map(\.scenario) == [.charged])
        check.sales[plain].fault = "normal"
        check.sales[try sale(.silence, in: check)].fault = "lost_answer"
        #expect(check.findings.map(\.scenario) == [.silence])
    }

    @Test("finds a notification that no gateway accepted")
    func notification() throws {
        #expect(
            try scenarios { check in
                let index = try sale(.charged, in: check)
                check.sales[index].isAcknowledged = false
            } == [.charged])
    }

    @Test("finds a gateway whose address is never given to the acquirer")
    func addresses() {
        #expect(
            scenarios { check in
                for index in check.sales.indices { check.sales[index].notifiedAddress = Self.gateways[0] + "/v1" }
            } == [nil])
    }

    @Test("finds races that always end in the same way", arguments: [0, 1])
    func races(end: Int) {
        #expect(
            scenarios { check in
                for index in check.scenes.indices where check.scenes[index].played.script.scenario == .cancelRace {
                    check.scenes[index].published = check.scenes[index].played.script.allowedEnds[end].payments
                }
            } == [.cancelRace])
    }

    @Test("finds a merchant that is never paid over one of the schemes")
    func schemes() {
        #expect(
            scenarios { check in
                check.scenes.removeAll { $0.played.script.merchant == 1 && $0.played.script.usesRSA }
            }.contains(nil))
    }
}
