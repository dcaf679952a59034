import Foundation
import OrchardHTTPClient
import OrchardHTTPTypes
import OrchardJSON
import OrchardServiceKit
import SandboxWallet

/// Plays shop and devices against services that run already.
public struct Load: Sendable {
    private let options: LoadOptions
    private let result = Locked(LoadResult())

    public init(_ options: LoadOptions) {
        self.options = options
    }

    /// Plays the load and shows it. Ctrl-C ends it with the table of the results so far.
    ///
    /// - Returns: the exit status: 0 only when every customer was played and every payment has an outcome.
    public func run() async throws -> Int32 {
        let group = ServiceGroup(
            services: [Run(load: self)], logger: Logger(label: "load", level: .critical),
            maximumShutdownDuration: .seconds(60))
        do { try await group.run() } catch let end as Run.End { return end.status }
        return 1
    }

    /// Plays without output.
    public func play() async throws -> LoadResult {
        try await play(on: nil)
        return result.withLock { $0 }
    }

    /// The load as a service of the group that handles Ctrl-C.
    private struct Run: Service {
        /// Thrown, because a service that merely returns counts as a fault.
        struct End: Error { let status: Int32 }

        let load: Load

        func run() async throws {
            let screen = Screen()
            var isInterrupted = false
            do {
                try await cancelWhenGracefulShutdown { try await load.play(on: screen) }
            } catch is CancellationError {
                isInterrupted = true
            }
            let result = load.result.withLock { $0 }
            screen.show(result.text(isInterrupted: isInterrupted))
            throw End(status: isInterrupted ? 128 + SIGINT : result.isComplete ? 0 : 1)
        }
    }

    private func play(on screen: Screen?) async throws {
        OpenFileLimit.raise()
        var configuration = HTTPClientConfiguration()
        configuration.caFile = options.caFile
        // The card data are made up, and a test network may be a private one.
        configuration.urlPolicy = .any
        let client = HTTPClient(configuration: configuration, logger: Logger(label: "load", level: .critical))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await client.run() }
            defer { group.cancelAll() }
            for address in options.ingests + options.ledgers { try await greet(address, client) }
            let stock = TokenStock(wallet: options.wallet, request: options.payment)
            let count = min(expected ?? mostAtFullSpeed, TokenStock.maximum)
            screen?.show("preparing \(count) tokens")
            try await stock.fill(count)
            let begin = ContinuousClock.now
            if let screen { group.addTask { try await showProgress(on: screen, since: begin) } }
            let cpuTime = Self.cpuTime
            defer {
                result.withLock { result in
                    result.elapsed = ContinuousClock.now - begin
                    result.cpuTime = Self.cpuTime - cpuTime
                }
            }
            try await play(customer(client, stock), from: begin)
            try Task.checkCancellation()
        }
    }

    /// How many customers come, if that is known.
    private var expected: Int? {
        guard let rate = options.rate else { return options.payments }
        return ArrivalSchedule(rate: rate, payments: options.payments, time: options.time).count
    }

    /// An estimate of how many come at full speed; further tokens are made while the load runs.
    private var mostAtFullSpeed: Int {
        options.time.map { Int((1_000 * ($0 / .seconds(1))).rounded(.up)) } ?? TokenStock.maximum
    }

    /// CPU time of this process until now.
    private static var cpuTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// Checks that a service answers before the load begins.
    private func greet(_ address: String, _ client: HTTPClient) async throws {
        switch await client.send(HTTPClientRequest(method: .get, url: address + "/healthz", timeout: .seconds(10))) {
        case .answered: return
        case .notSent(let failure), .unknown(let failure):
            try Task.checkCancellation()
            throw DemoError("no answer at \(address): \(failure)")
        }
    }

    private func customer(_ client: HTTPClient, _ stock: TokenStock) throws -> LoadCustomer {
        func wire(_ workers: [String]) -> Wire {
            Wire(client: client, workers: workers) { [result] reason in
                result.withLock { $0.addRepeat(after: reason) }
            }
        }
        let ledger = wire(options.ledgers)
        let currency = try WalletCurrency(options.payment.currency)
        let line = JSONValue.object([
            "label": .string("Load"), "unitAmount": .string(currency.decimal(options.payment.amount)),
        ])
        return LoadCustomer(
            shop: ShopServer(apiKey: options.apiKey, ledger: ledger),
            device: Device(
                wallet: OwnWallet(wallet: options.wallet), ingest: wire(options.ingests), ledger: ledger,
                inFlight: InFlight()),
            stock: stock,
            order: JSONValue.object(["currency": .string(currency.code), "lines": .array([line])]).bytes,
            run: "load-\(RunName.random())", wait: options.wait, result: result)
    }

    private func play(_ customer: LoadCustomer, from begin: ContinuousClock.Instant) async throws {
        guard let rate = options.rate else { return try await playAtFullSpeed(customer, from: begin) }
        var schedule = ArrivalSchedule(rate: rate, payments: options.payments, time: options.time)
        try await withThrowingDiscardingTaskGroup { group in
            while let next = schedule.nextTime {
                try await Task.sleep(until: begin + next, clock: .continuous)
                for number in schedule.takeDue(at: ContinuousClock.now - begin) {
                    guard result.withLock({ $0.begin(atMost: options.maximumCustomers) }) else { continue }
                    let planned = begin + schedule.time(of: number)
                    group.addTask { await customer.buy(number, arriving: planned) }
                }
            }
        }
    }

    /// Each customer begins again as soon as it has ended.
    private func playAtFullSpeed(_ customer: LoadCustomer, from begin: ContinuousClock.Instant) async throws {
        let next = Locked(0)
        let end = options.time.map { begin + $0 }
        try await withThrowingDiscardingTaskGroup { group in
            for _ in 0..<options.maximumCustomers {
                group.addTask {
                    while !Task.isCancelled, end.map({ $0 > .now }) ?? true {
                        let number = next.withLock { next in
                            defer { next += 1 }
                            return next
                        }
                        if let payments = options.payments, number >= payments { return }
                        _ = result.withLock { $0.begin(atMost: .max) }
                        await customer.buy(number, arriving: .now)
                    }
                }
            }
        }
    }

    private func showProgress(on screen: Screen, since begin: ContinuousClock.Instant) async throws {
        let progress = LoadProgress(payments: expected, time: options.time, rate: options.rate)
        while true {
            try await Task.sleep(for: .seconds(screen.isTerminal ? 1 : 10))
            screen.show(progress: progress.line(result.withLock { $0 }, after: ContinuousClock.now - begin))
        }
    }
}
