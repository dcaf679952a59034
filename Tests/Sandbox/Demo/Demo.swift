import Contracts
import Foundation
import KafkaBridge
import OrchardHTTPClient
import OrchardHTTPServer
import OrchardServiceKit

/// A shop's day on one machine, played with real processes and compared with five books.
public struct Demo: Sendable {
    private let options: DemoOptions
    private let screen = Screen()

    public init(_ options: DemoOptions) {
        self.options = options
    }

    /// Plays the day. Ctrl-C ends it in order, even in the middle: it stops everything and cleans up.
    ///
    /// - Returns: the exit status: 0 only when every number is right.
    public func run() async throws -> Int32 {
        try await Interruptible.run("demo") { try await play() }
    }

    /// Accepts the acquirer's book of a long day: about a kilobyte for each sale.
    static var clientConfiguration: HTTPClientConfiguration {
        var configuration = HTTPClientConfiguration()
        configuration.maximumBody = 1 << 29
        return configuration
    }

    private func play() async throws -> Int32 {
        let client = HTTPClient(configuration: Self.clientConfiguration, logger: Logger(label: "demo.http"))
        let inbox = ShopInbox(merchants: 2)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await client.run() }
            group.addTask { try await inbox.server.run() }
            defer { group.cancelAll() }
            return try await play(client, inbox)
        }
    }

    private func play(_ client: HTTPClient, _ inbox: ShopInbox) async throws -> Int32 {
        let environment = try await DemoEnvironmentBuilder(
            options: options, screen: screen, client: client, inbox: inbox
        ).build()
        do {
            let report = try await cancelWhenGracefulShutdown { try await play(environment, client, inbox) }
            screen.show(report.text)
            if !options.isOnce {
                screen.show(addresses(environment))
                try await untilInterrupted()
            }
            await environment.stop(screen)
            return report.status
        } catch is CancellationError {
            screen.say("interrupted; stopping everything")
            await environment.stop(screen)
            return 128 + SIGINT
        } catch {
            await environment.stop(screen)
            throw error
        }
    }

    private func play(
        _ environment: DemoEnvironment, _ client: HTTPClient, _ inbox: ShopInbox
    ) async throws -> Report {
        let producer = try KafkaProducer(environment.kafka.configuration, logger: Logger(label: "demo.kafka"))
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await producer.run() }
            defer { group.cancelAll() }
            let script = DemoScript(seed: options.seed, size: options.orders)
            let day = DemoSession(
                environment: environment, script: script, client: client, producer: producer, screen: screen,
                customers: options.storm != nil ? 60 : options.isChaos ? 40 : 16,
                timeout: .seconds(options.isChaos ? 180 : 90))
            let acquirer = AcquirerBook(client: client, address: environment.acquirerAddress)
            let days = AcquirerDays(before: Timestamp(seconds: Int64(Date().timeIntervalSince1970)))
            try await acquirer.keepOpen(days.trading)
            screen.say("the day begins: \(script.orders.count) orders of two merchants, seed \(options.seed)")
            let inFlight = InFlight()
            let turn = BrokerTurn()
            let chaos =
                options.isChaos
                ? Chaos(
                    environment: environment,
                    killsPerService: options.storm == nil ? ChaosCheck.killsPerService : .max,
                    pause: options.storm?.life ?? .zero, turn: turn, client: client, inFlight: inFlight, screen: screen)
                : nil
            let storm = options.storm.map {
                Storm($0, environment: environment, acquirer: acquirer, turn: turn, screen: screen)
            }
            async let kills = chaos?.run() ?? []
            async let failures = storm?.run()
            let played = try await day.play(inFlight: inFlight)
            chaos?.finish()
            storm?.finish()
            let (killed, failed) = try await (kills, failures)
            try await acquirer.keepOpen(days.evening)
            screen.say("the acquirer's day is over")
            let late = try await day.playEvening(of: played.results)
            async let nightKills: Void? = chaos?.killAtNight()
            let night = try await Night(
                environment: environment, days: days, acquirer: acquirer, screen: screen,
                timeout: .seconds(options.isChaos ? 150 : 60)
            ).pass()
            try await nightKills
            screen.say("reading the books")
            return try await Verdict(
                environment: environment, client: client, inbox: inbox, script: script, results: played.results,
                failures: played.failures + late, night: night,
                chaos: ChaosCheck(kills: killed, isChaos: options.isChaos, storm: failed),
                oracles: try options.oracles.map { try Oracles(folder: $0) }
            ).report()
        }
    }

    private func addresses(_ environment: DemoEnvironment) -> String {
        var table = Table()
        for worker in environment.services {
            table.add(worker.name, worker.address, "\(worker.admin)/metrics", "\(worker.admin)/readyz")
        }
        table.add("acquirer", environment.acquirerAddress, "\(environment.acquirerAddress)/_control/book")
        let psql = "psql \"\(environment.superuser("ledger"))\""
        return (["Everything keeps running until Ctrl-C:"] + table.lines + ["  \(psql)"]).joined(separator: "\n")
    }

    /// Waits for Ctrl-C or SIGTERM.
    private func untilInterrupted() async throws {
        try await gracefulShutdown()
    }
}
