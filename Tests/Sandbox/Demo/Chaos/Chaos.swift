import Foundation
import HTTPClient
import JSON
import Postgres
import ServiceKit

/// Kills services while they work: only when enough payments are in flight, each service in turn, some gateways while
/// the acquirer holds their requests and some between intent and send.
final class Chaos: Sendable {
    private let world: World
    private let client: HTTPClient
    private let inFlight: InFlight
    private let screen: Screen
    private let isOver = Locked(false)

    init(world: World, client: HTTPClient, inFlight: InFlight, screen: Screen) {
        self.world = world
        self.client = client
        self.inFlight = inFlight
        self.screen = screen
    }

    /// No more kills: the day is over.
    func finish() async { isOver.withLock { $0 = true } }

    func run() async throws -> [Kill] {
        let acquirer = AcquirerBook(client: client, address: world.acquirerAddress)
        let database = try await PostgresConnection.connect(
            PostgresConfiguration(connectionString: world.superuser("gateway")))
        var kills: [Kill] = []
        var round = 0
        while kills.count < 3 * ChaosCheck.killsPerService, !isOver.withLock({ $0 }) {
            // The acquirer keeps what it is sent, so that there is something in flight: before it books it, or after.
            let stage = round % 2 == 0 ? "booked" : "received"
            try await acquirer.control("hold", .object(["stage": .string(stage), "count": .integer(30)]))
            if try await isEnoughInFlight() {
                for worker in [world.gateways, world.ingests, world.ledgers].map({ $0[round % 2] }) {
                    guard try await isEnoughInFlight() else { break }
                    let isShut = worker.name.hasPrefix("charge-gateway") && round % 3 == 2
                    let book = GatewayBook(connection: database)
                    if isShut { try await shutGate(acquirer, book) }
                    kills.append(try await kill(worker, acquirer, book))
                }
                round += 1
            }
            try await acquirer.control("release", .object(["forget": .bool(true)]))
        }
        await database.close()
        return kills
    }

    private func isEnoughInFlight() async throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(20)
        while inFlight.count < ChaosCheck.minimumInFlight {
            if isOver.withLock({ $0 }) || ContinuousClock.now > deadline { return false }
            try await Task.sleep(for: .milliseconds(10))
        }
        return true
    }

    /// Lets no request through to the acquirer and waits for a gateway that wants to send one.
    private func shutGate(_ acquirer: AcquirerBook, _ gateway: GatewayBook) async throws {
        world.gate?.shut()
        let deadline = ContinuousClock.now + .seconds(4)
        while ContinuousClock.now < deadline {
            let seen = Set(try await acquirer.payments().map(\.payment))
            if try await !gateway.intents().subtracting(seen).isEmpty { return }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private func kill(_ worker: Worker, _ acquirer: AcquirerBook, _ gateway: GatewayBook) async throws -> Kill {
        let held = try await acquirer.held()
        let count = inFlight.count
        let start = ContinuousClock.now
        await worker.process.killNow()
        let seen = Set(try await acquirer.payments().map(\.payment))
        let unsent = world.gate?.isShut == true ? try await gateway.intents().subtracting(seen).count : 0
        world.gate?.open()
        try await worker.process.start()
        try await worker.waitUntilReady(client)
        let kill = Kill(
            worker: worker.name, service: String(worker.name.prefix { $0 != " " }), inFlight: count, held: held,
            intentsUnsent: unsent, recovery: ContinuousClock.now - start)
        screen.say(
            "killed \(worker.name): \(count) in flight, \(held) held by the acquirer; ready again after "
                + kill.recovery.text)
        return kill
    }
}
