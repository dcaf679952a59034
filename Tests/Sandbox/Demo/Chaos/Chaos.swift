import Contracts
import HTTPClient
import JSON
import Postgres
import ServiceKit

/// Kills services while they work: each service ten times, only when enough payments are in flight, some gateways while
/// the acquirer holds their requests and some between intent and send.
final class Chaos: Sendable {
    private let world: World
    private let acquirer: AcquirerBook
    private let client: HTTPClient
    private let inFlight: InFlight
    private let screen: Screen
    private let isOver = Locked(false)
    private let gate: Gate

    init(world: World, gate: Gate, client: HTTPClient, inFlight: InFlight, screen: Screen) {
        self.world = world
        self.gate = gate
        self.client = client
        self.inFlight = inFlight
        self.screen = screen
        acquirer = AcquirerBook(client: client, address: world.acquirerAddress)
    }

    /// No more kills: the day is over.
    func finish() { isOver.withLock { $0 = true } }

    /// Kills each service in turn with the other two, until each has had its share or the day is over.
    func run() async throws -> [Kill] {
        let kills = try await withThrowingTaskGroup(of: [Kill].self) { group in
            for workers in [world.ingests, world.gateways, world.ledgers] {
                group.addTask { [self] in try await kill(workers) }
            }
            return try await withThrowingTaskGroup(of: Void.self) { holding in
                holding.addTask { [self] in try await keepHolding() }
                var kills: [Kill] = []
                for try await share in group { kills += share }
                holding.cancelAll()
                return kills
            }
        }
        try await acquirer.control("release", .object(["forget": .bool(true)]))
        return kills
    }

    /// Lets the acquirer keep requests for a while, so that there is something in flight: before it books them, or after.
    private func keepHolding() async throws {
        var stages = ["booked", "received"]
        while !Task.isCancelled {
            try await acquirer.control("hold", .object(["stage": .string(stages[0]), "count": .integer(30)]))
            stages.swapAt(0, 1)
            try? await Task.sleep(for: .seconds(2))
            try await acquirer.control("release", .object(["forget": .bool(true)]))
        }
    }

    private func kill(_ workers: [Worker]) async throws -> [Kill] {
        let database = try await PostgresConnection.connect(
            PostgresConfiguration(connectionString: world.superuser("gateway")))
        let book = GatewayBook(connection: database)
        var kills: [Kill] = []
        while kills.count < ChaosCheck.killsPerService, try await enoughInFlight() {
            let worker = workers[kills.count % workers.count]
            let isGateway = worker.name.hasPrefix("charge-gateway")
            if isGateway { try await prepare(kills.count, book) }
            guard inFlight.count >= ChaosCheck.minimumInFlight else {
                gate.open()
                continue
            }
            kills.append(try await kill(worker, book))
        }
        await database.close()
        return kills
    }

    private func enoughInFlight() async throws -> Bool {
        while inFlight.count < ChaosCheck.minimumInFlight {
            if isOver.withLock({ $0 }) { return false }
            try await Task.sleep(for: .milliseconds(10))
        }
        return true
    }

    /// Waits for the moment to kill a gateway: by turns while it has committed an intent that it cannot send, and while
    /// the acquirer holds its request.
    private func prepare(_ turn: Int, _ book: GatewayBook) async throws {
        let isShut = turn % 3 == 2
        if isShut { gate.shut() }
        let deadline = ContinuousClock.now + .seconds(4)
        while ContinuousClock.now < deadline {
            if isShut {
                if try await !unsentIntents(book).isEmpty { return }
            } else if try await acquirer.held() > 0 {
                return
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Payments whose intent is committed and of which the acquirer has no word.
    private func unsentIntents(_ book: GatewayBook) async throws -> Set<PaymentID> {
        let intents = try await book.intents()
        guard !intents.isEmpty else { return [] }
        return intents.subtracting(try await acquirer.payments().map(\.payment))
    }

    private func kill(_ worker: Worker, _ book: GatewayBook) async throws -> Kill {
        let held = try await acquirer.held()
        let count = inFlight.count
        let start = ContinuousClock.now
        await worker.process.killNow()
        let unsent = gate.isShut ? try await unsentIntents(book).count : 0
        if worker.name.hasPrefix("charge-gateway") { gate.open() }
        try await worker.process.start()
        try await worker.waitUntilReady(client)
        let kill = Kill(
            worker: worker.name, service: String(worker.name.prefix { $0 != " " }), inFlight: count, held: held,
            intentsUnsent: unsent, recovery: ContinuousClock.now - start)
        screen.say(
            "killed \(worker.name): \(count) in flight, \(held) held by the acquirer, \(unsent) intents unsent; "
                + "ready again after \(kill.recovery.text)")
        return kill
    }
}
