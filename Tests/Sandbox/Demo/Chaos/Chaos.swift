import Contracts
import OrchardHTTPClient
import OrchardJSON
import OrchardPostgres
import OrchardServiceKit

/// Kills services while they work, each service ten times, and only with enough payments in progress. Some gateways are
/// killed while the acquirer holds their requests, some between intent and send. ``ChaosCheck`` judges whether it was
/// so.
final class Chaos: Sendable {
    private let environment: DemoEnvironment
    private let acquirer: AcquirerBook
    private let client: HTTPClient
    private let inFlight: InFlight
    private let screen: Screen
    private let isOver = Locked(false)
    /// nil in a storm: then gateways are not killed between intent and send on purpose.
    private let gate: Gate?
    /// How often each service is killed, and how long it then runs.
    private let limit: Int
    private let pause: Duration
    private let turn: BrokerTurn

    init(
        environment: DemoEnvironment, killsPerService limit: Int, pause: Duration, turn: BrokerTurn, client: HTTPClient,
        inFlight: InFlight, screen: Screen
    ) {
        self.environment = environment
        (self.limit, self.pause, self.turn) = (limit, pause, turn)
        gate = environment.gate
        self.client = client
        self.inFlight = inFlight
        self.screen = screen
        acquirer = AcquirerBook(client: client, address: environment.acquirerAddress)
    }

    /// No more kills: the day has ended.
    func finish() { isOver.withLock { $0 = true } }

    /// Kills each service in turn with the other two, until each has had its kills or the day has ended.
    func run() async throws -> [Kill] {
        let kills = try await withThrowingTaskGroup(of: [Kill].self) { group in
            for workers in [environment.ingests, environment.gateways, environment.ledgers] {
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

    /// Lets the acquirer hold requests for a while, before it books them or after, so that payments are in progress.
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
        var kills: [Kill] = []
        while kills.count < limit, try await enoughInFlight() {
            let index = kills.count % workers.count
            // Gateways differ in their notification address, which is the other gateway's.
            let isGateway = workers[index].name.hasPrefix("charge-gateway")
            let sign = isGateway ? workers[1 - index].address + "/" : ""
            if isGateway { try await prepare(kills.count, workers[index], sign) }
            if let kill = try await turn.restart({ try await kill(workers[index], sign) }) {
                kills.append(kill)
                try await Task.sleep(for: pause)
            }
        }
        return kills
    }

    /// Reads the gateway's book. In a storm the database may have crashed: then it is read again.
    private func read<Value>(_ body: (GatewayBook) async throws -> Value) async throws -> Value {
        let end = ContinuousClock.now + .seconds(60)
        while true {
            do {
                let connection = try await PostgresConnection.connect(
                    PostgresConfiguration(connectionString: environment.superuser("gateway")))
                let value = try await body(GatewayBook(connection: connection))
                await connection.close()
                return value
            } catch let error as PostgresError where error.code != .cancelled && ContinuousClock.now < end {
                try await Task.sleep(for: .milliseconds(100))
            }
        }
    }

    /// Kills every gateway and every order-ledger once, one after the other: while they fetch and book the night's files.
    func killAtNight() async throws {
        for worker in environment.gateways + environment.ledgers {
            await worker.process.killNow()
            try worker.process.start()
            try await worker.waitUntilReady(client)
        }
    }

    private func enoughInFlight() async throws -> Bool {
        while inFlight.count < ChaosCheck.minimumInFlight {
            if isOver.withLock({ $0 }) { return false }
            try await Task.sleep(for: .milliseconds(10))
        }
        return true
    }

    /// Waits for the moment to kill a gateway, in turn: when it has committed an intent that it cannot send, or while
    /// the acquirer holds its request.
    private func prepare(_ turn: Int, _ worker: Worker, _ sign: String) async throws {
        if turn % 3 == 2 { gate?.shut() }
        let deadline = ContinuousClock.now + .seconds(4)
        while ContinuousClock.now < deadline {
            let isTheMoment =
                try await gate?.isShut == true
                ? unsentIntents(of: worker) > 0 : acquirer.held().contains { $0.notifiedAddress.hasPrefix(sign) }
            if isTheMoment { return }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Operations whose intent is committed, that the acquirer has neither booked nor holds, and that this gateway
    /// tries to send. There are no more than the sends that the gateway counts; all of them hang because the gate is
    /// shut.
    private func unsentIntents(of worker: Worker) async throws -> Int {
        let intents = try await read { try await $0.intents() }
        guard !intents.isEmpty else { return 0 }
        let seen = try await acquirer.held().map(\.payment) + acquirer.sales().map(\.booked.payment)
        let sends = try await MetricsPage.read([worker.admin], client)
            .total("charge_gateway_acquirer_requests_in_flight", ["kind": "send"])
        return min(intents.subtracting(seen).count, Int(sends))
    }

    /// The state at this moment.
    private func look(_ worker: Worker, _ sign: String) async throws -> Kill.Moment {
        let unsent = gate?.isShut == true && !sign.isEmpty ? try await unsentIntents(of: worker) : 0
        let held = try await acquirer.held().count { $0.notifiedAddress.hasPrefix(sign) }
        let waiting = inFlight.current
        let settled = try await read { try await $0.settled() }
        return Kill.Moment(inFlight: waiting.subtracting(settled).count, held: held, intentsUnsent: unsent)
    }

    /// - Returns: nil when too little is in progress: then nothing is killed.
    private func kill(_ worker: Worker, _ sign: String) async throws -> Kill? {
        let moment = try await look(worker, sign)
        guard moment.inFlight >= ChaosCheck.minimumInFlight else {
            if !sign.isEmpty { gate?.open() }
            return nil
        }
        let start = ContinuousClock.now
        await worker.process.killNow()
        if !sign.isEmpty { gate?.open() }
        try worker.process.start()
        try await worker.waitUntilReady(client, within: .seconds(300))
        let kill = Kill(
            worker: worker.name, service: String(worker.name.prefix { $0 != " " }), moment: moment,
            recovery: ContinuousClock.now - start)
        screen.say(
            "killed \(worker.name): \(moment.inFlight) in flight, \(moment.held) held by the acquirer, "
                + "\(moment.intentsUnsent) intents unsent; ready again after \(kill.recovery.text)")
        return kill
    }
}
