import Foundation
import OrchardServiceKit
import TestSupport
import Testing

@Suite("ServiceGroup", .timeLimit(.minutes(10)))
struct ServiceGroupTests {
    /// Records when it starts and stops; ends as configured.
    struct Part: Service {
        enum Way: Sendable { case whenAsked, never, fails, returns, failsWhenAsked }

        struct Broken: Error, Equatable { let name: String }

        let name: String
        var way = Way.whenAsked
        let log: EventLog

        func run() async throws {
            log.note("\(name) runs")
            switch way {
            case .whenAsked:
                try await gracefulShutdown()
                log.note("\(name) stops")
            case .never: try await Task.sleep(for: .seconds(3_600))
            case .fails: throw Broken(name: name)
            case .returns: return
            case .failsWhenAsked:
                try await gracefulShutdown()
                throw Broken(name: name)
            }
        }
    }

    final class EventLog: Sendable {
        private let entries = Locked<[String]>([])
        var stops: [String] { entries.withLock { $0.filter { $0.hasSuffix("stops") } } }
        var running: Int { entries.withLock { $0.count { $0.hasSuffix("runs") } } }
        func note(_ entry: String) { entries.withLock { $0.append(entry) } }
    }

    private func group(_ parts: [Part], maximum: Duration = .seconds(60), readiness: Readiness? = nil) -> ServiceGroup {
        ServiceGroup(
            services: parts, logger: Logger(label: "test"), gracefulShutdownSignals: [],
            maximumShutdownDuration: maximum, readiness: readiness)
    }

    /// Runs the group and begins its shutdown as soon as every part runs.
    private func runAndStop(_ group: ServiceGroup, _ log: EventLog, parts: Int) async throws {
        let shutdown = GracefulShutdown()
        try await GracefulShutdown.$current.withValue(shutdown) {
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { try await group.run() }
                try await eventually { log.running == parts }
                shutdown.begin()
                try await tasks.waitForAll()
            }
        }
    }

    @Test("stops the services in the reverse order of the list")
    func order() async throws {
        let log = EventLog()
        let readiness = Readiness()
        let parts = ["admin", "pool", "http"].map { Part(name: $0, log: log) }
        try await runAndStop(group(parts, readiness: readiness), log, parts: 3)
        #expect(log.stops == ["http stops", "pool stops", "admin stops"])
        #expect(!readiness.report.isReady)
    }

    @Test("a service that fails stops the others, and its error is thrown")
    func failure() async throws {
        let log = EventLog()
        let parts = [
            Part(name: "admin", log: log), Part(name: "pool", way: .fails, log: log),
            Part(name: "http", log: log),
        ]
        await #expect(throws: Part.Broken(name: "pool")) { try await group(parts).run() }
        #expect(log.stops == ["http stops", "admin stops"])
    }

    @Test("a service that returns without a request stops the others")
    func earlyReturn() async throws {
        let log = EventLog()
        let parts = [Part(name: "admin", log: log), Part(name: "http", way: .returns, log: log)]
        let error = await #expect(throws: ServiceGroupError.self) { try await group(parts).run() }
        #expect(error?.code == .returnedEarly)
        #expect(log.stops == ["admin stops"])
    }

    @Test("after an error while stopping, the others still stop in order")
    func failureWhileStopping() async throws {
        let log = EventLog()
        let parts = [
            Part(name: "admin", log: log), Part(name: "pool", log: log),
            Part(name: "http", way: .failsWhenAsked, log: log),
        ]
        await #expect(throws: Part.Broken(name: "http")) { try await runAndStop(group(parts), log, parts: 3) }
        #expect(log.stops == ["pool stops", "admin stops"])
    }

    @Test("a service that does not stop in time is cancelled and named")
    func deadline() async throws {
        let log = EventLog()
        let parts = [Part(name: "admin", log: log), Part(name: "http", way: .never, log: log)]
        let error = await #expect(throws: ServiceGroupError.self) {
            try await runAndStop(group(parts, maximum: .milliseconds(20)), log, parts: 2)
        }
        #expect(error?.code == .tookTooLong)
        #expect(error?.reason.contains("Part") == true)
    }

    @Test("a service behind a gate keeps its own name")
    func names() async {
        let gate = StartGate {}
        let parts: [any Service] = [gate, gate.holding(Part(name: "http", way: .returns, log: EventLog()))]
        let group = ServiceGroup(services: parts, logger: Logger(label: "test"), gracefulShutdownSignals: [])
        let error = await #expect(throws: ServiceGroupError.self) { try await group.run() }
        #expect(error?.reason == "Part ended without a request to stop")
    }

    @Test("cancelling the surrounding task ends every service")
    func cancellation() async throws {
        let log = EventLog()
        let parts = [Part(name: "http", way: .never, log: log)]
        await #expect(throws: CancellationError.self) {
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { try await group(parts).run() }
                try await eventually { log.running == 1 }
                tasks.cancelAll()
                try await tasks.waitForAll()
            }
        }
    }

    @Test("SIGTERM stops the group gracefully; afterwards it ends the process again")
    func signals() async {
        await #expect(processExitsWith: .signal(SIGTERM)) {
            let log = EventLog()
            let group = ServiceGroup(
                services: [Part(name: "http", log: log)], logger: Logger(label: "test"),
                gracefulShutdownSignals: [SIGTERM])
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { try await group.run() }
                try await eventually { log.running == 1 }
                kill(getpid(), SIGTERM)
                try await tasks.waitForAll()
            }
            guard log.stops == ["http stops"] else { exit(1) }
            kill(getpid(), SIGTERM)
            exit(2)
        }
    }
}
