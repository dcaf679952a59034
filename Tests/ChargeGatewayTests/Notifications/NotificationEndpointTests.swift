import Charging
import Contracts
import OrchardHTTPServer
import OrchardHTTPTypes
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
