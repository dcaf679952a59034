import OrchardJSON
import OrchardServiceKit
import SandboxDatabase
import SandboxProcesses

/// Lets broker and database fail in turn while the day is played, and the acquirer by chance.
final class Storm: Sendable {
    private let options: StormOptions
    private let environment: DemoEnvironment
    private let acquirer: AcquirerBook
    private let screen: Screen
    private let isOver = Locked(false)
    private let turn: BrokerTurn

    init(
        _ options: StormOptions, environment: DemoEnvironment, acquirer: AcquirerBook, turn: BrokerTurn, screen: Screen
    ) {
        self.turn = turn
        self.options = options
        self.environment = environment
        self.acquirer = acquirer
        self.screen = screen
    }

    /// How often each has failed.
    struct Failures: Sendable {
        var broker = 0
        var database = 0
    }

    /// No more failures: the day has ended.
    func finish() { isOver.withLock { $0 = true } }

    func run() async throws -> Failures {
        try await acquirer.control("storm", options.acquirerStorm)
        var failures = Failures()
        while try await pause() {
            if failures.broker <= failures.database {
                try await failBroker()
                failures.broker += 1
            } else {
                environment.cluster.crash()
                try await environment.cluster.restart()
                failures.database += 1
                screen.say("PostgreSQL crashed, and recovered")
            }
        }
        try await acquirer.control("storm", .object([]))
        return failures
    }

    /// - Returns: false when the day has ended.
    private func pause() async throws -> Bool {
        let end = ContinuousClock.now + options.pause
        while ContinuousClock.now < end {
            if isOver.withLock({ $0 }) { return false }
            try await Task.sleep(for: .milliseconds(50))
        }
        return true
    }

    private func failBroker() async throws {
        if let command = options.brokerRestart {
            let run = try await ProgramRun.outside("bash", ["-c", command])
            guard run.status == 0 else {
                throw DemoError("the broker was not restarted by `\(command)`:\n\(run.output)")
            }
            return screen.say("Kafka was restarted")
        }
        try await turn.freeze {
            environment.kafka.freeze()
            defer { environment.kafka.thaw() }
            try await Task.sleep(for: options.freeze)
        }
        screen.say("the broker was frozen for \(options.freeze.text)")
    }
}

extension Storm.Failures {
    /// Of each, so that a storm was one.
    static let least = 2

    var findings: [Finding] {
        [("the broker", broker), ("the database", database)].filter { $0.1 < Self.least }.map {
            Finding(book: "storm", text: "\($0) failed \($1) times, not \(Self.least): more orders take longer")
        }
    }

    var line: String { "  the broker failed \(broker) times, PostgreSQL crashed \(database) times" }
}
