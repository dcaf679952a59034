import Charging
import Contracts
import KafkaBridge
import KeyFiles
import OrchardPostgres
import OrchardServiceKit
import Outbox
import TestSupport
import Testing

@testable import ChargeGateway

@Suite("The route of a charge", .timeLimit(.minutes(10)))
struct RouteTests {
    @Test("is the ticket's, and is kept with the operation")
    func followed() async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            let order = Shop.order()
            try await gateway.take([.charge(try gateway.shop.charge(order))])
            #expect(try await gateway.column("route_id", of: order) == "unionpay-1")
            #expect(try await gateway.column("account", of: order) == Shop.account)
        }
    }

    // Failure scenario 33.
    @Test("leads nowhere else while its acquirer is silent, though another one takes such cards")
    func noFailOver() async throws {
        let silent = ScriptedAcquirer([.loseRequest], queryFailures: .max)
        let other = ScriptedAcquirer(named: "other")
        var policy = TestGateway.policy
        policy.unknownAfter = .milliseconds(100)
        try await TestGateway.with([silent, other], policy: policy) { gateway in
            let route = try #require(
                Shop.merchants.firstMatch(of: #/"routes":\[(?<route>\{.*?\}\})\]/#.dotMatchesNewlines()))
            let second = route.output.route.replacing("unionpay", with: "other")
            let commands = gateway.commands(
                with: try gateway.shop.registry(
                    replacing: String(route.output.route), with: "\(route.output.route),\(second)"))
            let order = Shop.order()
            try await commands.process([KafkaRecord(.charge(try gateway.shop.charge(order)), at: 0)], of: 0)
            try await gateway.wait(for: "unknown", of: order)
            // The customer tries again, with another token.
            try await commands.process([KafkaRecord(.charge(try gateway.shop.charge(order)), at: 1)], of: 0)
            try await gateway.wait(for: "refused: orderBusy", of: order)
            let asked = silent.queries
            try await eventually { silent.queries >= asked + 2 }
            #expect(try await gateway.story(of: order) == ["accepted", "unknown", "refused: orderBusy"])
            #expect(silent.received.count == 1 && other.received.isEmpty && other.queries == 0)
        }
    }

    @Test(
        "that is gone or leads elsewhere sets the charge aside: nothing is told, nothing is sent, and an alarm is raised",
        arguments: [
            (#""id":"unionpay-1""#, #""id":"unionpay-2""#), (Shop.account, "777290058110049"), ("\"test\"", "\"live\""),
        ])
    func changed(old: String, new: String) async throws {
        let acquirer = ScriptedAcquirer()
        try await TestGateway.with([acquirer]) { gateway in
            let (order, other) = (Shop.order(), Shop.order())
            let known = try gateway.shop.charge(other)
            try await gateway.take([.charge(known)])
            try await eventually { try await gateway.column("phase", of: other) == "succeeded" }
            let edited = gateway.commands(with: try gateway.shop.registry(replacing: old, with: new))
            let command = try gateway.shop.charge(order)
            try await edited.process([KafkaRecord(.charge(command), at: 1), KafkaRecord(.charge(known), at: 2)], of: 0)
            #expect(try await gateway.story(of: order).isEmpty)
            #expect(try await gateway.count("gateway.operations WHERE order_id = '\(order)'") == 0)
            let letters = try await gateway.owner.query(
                "SELECT headers FROM gateway.outbox WHERE topic = $1", [Topic.charges.deadLetters.name])
            #expect(letters.count == 1, "a copy of a known charge needs no route")
            #expect(try letters.first?.string("headers").contains("deadletter_offset: 1") == true)
            #expect(gateway.metrics.expose().contains("kind=\"routeChanged\"} 1"))
            #expect(acquirer.received.map(\.orderNumber) == [known.payment.description])
        }
    }

    @Test(
        "of a merchant that this gateway lacks sets the charge aside where replay finds it, and is told in /readyz and a metric"
    )
    func missingMerchant() async throws {
        try await TestGateway.with([ScriptedAcquirer()], hasTimers: false) { gateway in
            let other = MerchantID(hash: Array(repeating: 8, count: 32))
            let transactions = gateway.commands(
                with: try gateway.shop.registry(replacing: Shop.merchant.description, with: other.description))
            let charge = try gateway.shop.charge(Shop.order())
            let record = KafkaRecord(.charge(charge), at: 0)
            try await transactions.process([record], of: 0)
            var component: ReadinessReport.Component? { gateway.readiness.report.components["merchants"] }
            #expect(component?.isReady == false)
            #expect(component?.reason.contains(Shop.merchant.description) == true, "\(component?.reason ?? "")")
            #expect(gateway.metrics.expose().contains("charge_gateway_missing_merchants 1"))
            #expect(gateway.metrics.expose().contains("kind=\"merchantMissing\"} 1"))
            #expect(try await gateway.story(of: charge.order).isEmpty, "nothing is told of the charge")
            let letters = try await gateway.owner.query(
                "SELECT headers FROM gateway.outbox WHERE topic = $1", [Topic.charges.deadLetters.name])
            #expect(try letters.map { try $0.string("headers").contains("deadletter_code: merchantMissing") } == [true])

            guard case .setAside(let reason) = try await transactions.replay(record) else {
                Issue.record("the merchant is still missing")
                return
            }
            #expect(reason.contains("lacks merchant \(Shop.merchant)"))
            // With the file of the other hosts.
            transactions.missingMerchants?.update(at: Timestamp.now.seconds) { $0 == Shop.merchant.description }
            #expect(component?.isReady == true)
            #expect(gateway.metrics.expose().contains("charge_gateway_missing_merchants 0"))
            #expect(try await gateway.commands.replay(record) == .processed(["accepted"]))
        }
    }

    @Test("may not be taken from charges under way: the start is refused, and says which route")
    func inUse() async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            try await gateway.take([.charge(try gateway.shop.charge(Shop.order()))])
            let uses = try await RouteUse.all(on: gateway.owner, logger: gateway.log.logger)
            #expect(uses.map(\.charges) == [1] && uses.map(\.account) == [Shop.account])
            #expect(RouteUse.problems(of: uses, in: gateway.shop.registry).isEmpty)
            let elsewhere = try gateway.shop.registry(replacing: Shop.account, with: "777290058110049")
            let error = await #expect(throws: ConfigurationError.self) {
                try await StartupChecksTests.check(gateway, merchants: elsewhere)
            }
            #expect(error?.description.contains("route unionpay-1: leads elsewhere now") == true)
            let gone = try gateway.shop.registry(replacing: #""id":"unionpay-1""#, with: #""id":"new""#)
            #expect(RouteUse.problems(of: uses, in: gone).first?.reason.hasPrefix("is missing") == true)
            // An end frees the route.
            try await gateway.owner.execute("UPDATE gateway.operations SET phase = 'declined'")
            try await StartupChecksTests.check(gateway, merchants: elsewhere)
        }
    }
}

extension TestGateway {
    /// The commands' side with another `merchants.json`.
    func commands(with registry: MerchantRegistry) -> CommandProcessor {
        CommandProcessor(
            transactions: transactions, inbox: Inbox(schema: "gateway", topic: .charges, program: "charge-gateway"),
            ticketKeys: shop.ticketKeys,
            merchants: { [registry = registry] in registry },
            missingMerchants: MissingMerchants(
                path: "merchants.json", prefix: "charge_gateway", metrics: metrics, readiness: readiness),
            telemetry: telemetry, logger: logger)
    }
}
