import Charging
import Foundation
import OrchardServiceKit
import Testing

@testable import ChargeGateway

@Suite("The gateway's settings")
struct GatewayConfigurationTests {
    private func read(_ environment: [String: String]) throws -> GatewayConfiguration {
        try ConfigReader.read(ConfigSources(environment: environment)) { GatewayConfiguration(reader: $0) }.0
    }

    @Test("tell every problem at once")
    func problems() {
        let error = #expect(throws: ConfigurationError.self) {
            _ = try read(["ACQUIRER_REQUESTS": "many", "TIMERS_INTERVAL": "1h"])
        }
        let keys = Set(error?.problems.map(\.key) ?? [])
        #expect(
            keys.isSuperset(of: [
                "merchants", "ticket.keys", "sealing.keys", "postgres.url", "kafka.bootstrap.servers", "unionpay.url",
                "unionpay.notifications", "acquirer.requests", "timers.interval",
            ]), "\(keys)")
    }

    @Test("have defaults that follow the rules")
    func defaults() throws {
        let shop = try Shop()
        let configuration = try read([
            "MERCHANTS": shop.file("merchants.json"), "TICKET_KEYS": shop.file("tickets.json"),
            "SEALING_KEYS": shop.file("sealing.json"), "POSTGRES_URL": "host=x", "KAFKA_BOOTSTRAP_SERVERS": "x:1",
            "UNIONPAY_URL": "https://gateway.95516.com", "UNIONPAY_NOTIFICATIONS": "https://pay.example.com/n",
            "UNIONPAY_ROOT": shop.file("tickets.json"), "UNIONPAY_MIDDLE": shop.file("tickets.json"),
        ])
        #expect(configuration.policy.acquirerTolerance == .seconds(900))
        #expect(configuration.policy.querySchedule.first == .seconds(3))
        #expect(configuration.requestLimits.account < configuration.requestLimits.acquirer)
        #expect(!configuration.acceptLogStart)
    }

    @Test("tolerate a transaction that is as old as a capture, void or refund may be when it is sent")
    func tolerance() {
        for (tolerance, isTaken) in [("10m", false), ("11m", true)] {
            let error = #expect(throws: ConfigurationError.self) { _ = try read(["ACQUIRER_TOLERANCE": tolerance]) }
            let keys = Set(error?.problems.map(\.key) ?? [])
            #expect(keys.contains("acquirer.tolerance") != isTaken, "\(keys)")
        }
    }

    @Test("are listed by each command's help")
    func help() {
        #expect(
            ChargeGatewayProgram.root.subcommands.map(\.name) == [
                "serve", "health", "migrate", "recover", "keys", "attempts", "settlement", "dlq",
            ])
        for command in ChargeGatewayProgram.root.subcommands where ["serve", "migrate"].contains(command.name) {
            #expect(command.configuration.contains { $0.name == "postgres.url" && $0.isSecret })
        }
    }
}
