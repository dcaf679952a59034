import Acquirers
import Charging
import Contracts
import OrchardHTTPServer
import OrchardHTTPTypes
import OrchardPostgres
import OrchardServiceKit
import TestSupport
import Testing

@testable import ChargeGateway

@Suite("Notifications")
struct NotificationEndpointTests {
    private func post(_ body: String, to gateway: TestGateway, acquirer: String = "unionpay") async throws -> Int {
        let request = HTTPRequest(
            method: .post, target: "/v1/notifications/\(acquirer)",
            fields: ["Content-Type": "application/x-www-form-urlencoded;charset=UTF-8"], body: Array(body.utf8))
        var response: HTTPResponse
        do { response = try await gateway.router.respond(to: request) } catch let problem as Problem {
            response = .problem(problem)
        }
        // The server adds it.
        response.fields["X-Request-Id"] = "1"
        let fault = try await Descriptions.fault(of: response, to: request, by: "charge-gateway")
        #expect(fault == "")
        return Int(response.status.code)
    }

    // Failure scenarios 14, 20.
    @Test("on any instance make the query due now; five, and two at once, are one end")
    func due() async throws {
        let acquirer = ScriptedAcquirer([.loseAnswer])
        var policy = TestGateway.policy
        policy.querySchedule = [.seconds(300)]
        policy.unknownAfter = .milliseconds(100)
        try await TestGateway.with([acquirer], policy: policy) { gateway in
            let order = Shop.order()
            let command = try gateway.shop.charge(order)
            try await gateway.take([.charge(command)])
            try await gateway.wait(for: "unknown", of: order)
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 1...5 { group.addTask { try await post("paid=\(command.payment)", to: gateway) } }
                for try await status in group { #expect(status == 200) }
            }
            try await gateway.wait(for: "succeeded", of: order)
            #expect(try await post("paid=\(command.payment)", to: gateway) == 200)
            #expect(try await post("declined=\(command.payment)", to: gateway) == 200)
            #expect(try await gateway.story(of: order) == ["accepted", "unknown", "succeeded"])
            #expect(gateway.metrics.expose().contains("kind=\"contradiction\"} 1"))
        }
    }

    // Failure scenario 14.
    @Test("are answered in less than 10 s, twenty at once and while the send hangs")
    func inTime() async throws {
        let acquirer = ScriptedAcquirer([.hang])
        try await TestGateway.with([acquirer]) { gateway in
            let order = Shop.order()
            let command = try gateway.shop.charge(order)
            try await gateway.take([.charge(command)])
            try await eventually { !acquirer.book.isEmpty }
            let start = ContinuousClock.now
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 1...20 { group.addTask { try await post("paid=\(command.payment)", to: gateway) } }
                for try await status in group { #expect(status == 200) }
            }
            #expect(ContinuousClock.now - start < .seconds(10))
            try await gateway.wait(for: "succeeded", of: order)
        }
    }

    // Failure scenarios 15, 16, 17.
    @Test(
        "that are forged, or about something else, change nothing of the charge that they name, and are counted",
        arguments: NotificationError.Code.allCases)
    func forged(code: NotificationError.Code) async throws {
        try await TestGateway.with([ScriptedAcquirer()], hasTimers: false) { gateway in
            let order = Shop.order()
            try await gateway.take([.charge(try gateway.shop.charge(order))])
            let row = "SELECT to_jsonb(o)::text || to_jsonb(p)::text AS row FROM gateway.orders o, gateway.operations p"
            let before = try await gateway.owner.query(row)[0].string("row")
            let status = try await post("refused=\(code.rawValue)", to: gateway)
            #expect(status == 400)
            #expect(try await gateway.owner.query(row)[0].string("row") == before)
            #expect(try await gateway.story(of: order) == ["accepted"])
            #expect(gateway.metrics.expose().contains("outcome=\"\(code.rawValue)\"} 1"))
        }
    }

    // Failure scenario 19.
    @Test("of one order that are genuine, sent again while another order waits, change neither")
    func ofAnotherOrder() async throws {
        let acquirer = ScriptedAcquirer([.accept, .hangUnbooked])
        var policy = TestGateway.policy
        policy.querySchedule = [.seconds(300)]
        try await TestGateway.with([acquirer], policy: policy) { gateway in
            let (paid, waiting) = (Shop.order(), Shop.order())
            let first = try gateway.shop.charge(paid)
            try await gateway.take([.charge(first)])
            try await eventually { acquirer.book.count == 1 }
            let old = "paid=\(first.payment)"
            #expect(try await post(old, to: gateway) == 200)
            try await gateway.wait(for: "succeeded", of: paid)
            try await gateway.take([.charge(try gateway.shop.charge(waiting))], from: 1)
            try await eventually { acquirer.received.count == 2 }
            let (story, queries) = (try await gateway.story(of: paid), acquirer.queries)
            let state = try await gateway.column("phase || next_step || next_at", of: waiting)
            for _ in 1...3 { #expect(try await post(old, to: gateway) == 200) }
            #expect(try await gateway.story(of: paid) == story)
            #expect(try await gateway.story(of: waiting).filter { $0 != "unknown" } == ["accepted"])
            #expect(try await gateway.column("phase || next_step || next_at", of: waiting) == state)
            #expect(acquirer.queries == queries, "it is asked about neither")
        }
    }

    @Test("of money for a charge that was refused are looked into: it is owed back")
    func refusedCharge() async throws {
        let acquirer = ScriptedAcquirer()
        try await TestGateway.with([acquirer]) { gateway in
            let order = Shop.order()
            try await gateway.take([.signed(try gateway.shop.cancel(order))])
            let command = try gateway.shop.charge(order)
            try await gateway.take([.charge(command)], from: 1)
            #expect(try await gateway.story(of: order) == ["closed: cancelled", "refused: orderClosed"])
            // Somebody sent it: a process that this database has forgotten.
            try await acquirer.book(command, of: gateway)
            #expect(try await post("paid=\(command.payment)", to: gateway) == 200)
            // The refund that follows by itself is not this acquirer's.
            try await eventually { try await gateway.story(of: order).contains("lateSuccess") }
            // The alarm is raised after the commit, which the wait above sees.
            try await eventually { gateway.metrics.expose().contains("kind=\"lateSuccess\"} 1") }
        }
    }

    // Failure scenario 17.
    @Test(
        "that are none, or of nobody, change nothing and are counted",
        arguments: [
            ("nonsense", "unionpay", 400, "malformed"), ("paid=00000000", "unionpay", 404, "unknownOrder"),
            ("paid=00000000", "nobody", 404, nil),
        ] as [(String, String, Int, String?)])
    func refused(body: String, acquirer: String, status: Int, counted: String?) async throws {
        try await TestGateway.with([ScriptedAcquirer()], hasTimers: false) { gateway in
            let answered = try await post(body, to: gateway, acquirer: acquirer)
            #expect(answered == status)
            let operations = try await gateway.count("gateway.operations")
            #expect(operations == 0)
            let metrics = gateway.metrics.expose()
            #expect(counted.map { metrics.contains("outcome=\"\($0)\"} 1") } ?? true)
        }
    }
}
