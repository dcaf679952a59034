import Foundation
import SandboxProcesses

/// Two workers of a service that share its partitions.
struct WorkerPair {
    struct Service {
        let name: String
        let serve: (BenchWorker) throws -> ChildProcess
        /// Gives work to each partition through a running worker; returns a check whether all of it is done.
        let work: (BenchWorker) async throws -> () async throws -> Bool
    }

    private let service: Service
    private let workers: [BenchWorker]
    private var processes: [ChildProcess] = []

    private init(service: Service, workers: [BenchWorker]) { (self.service, self.workers) = (service, workers) }

    /// Runs `body` with both; the second starts when the first has all partitions.
    static func run<Result>(
        _ service: Service, _ workers: [BenchWorker], _ body: (inout WorkerPair) async throws -> Result
    ) async throws -> Result {
        var pair = WorkerPair(service: service, workers: workers)
        defer { pair.stop() }
        for worker in workers {
            pair.processes.append(try service.serve(worker))
            try await pair.untilWorking([worker])
        }
        return try await body(&pair)
    }

    /// Kills one of the two.
    ///
    /// - Returns: the seconds until each partition is processed and each running worker is ready in `/readyz`.
    mutating func kill(_ index: Int, isRestarted: Bool) async throws -> Double {
        let other = workers[1 - index]
        try await untilWorking([other, workers[index]])
        let begun = ContinuousClock.now
        processes[index].signal(SIGKILL)
        await processes[index].ended()
        if isRestarted { processes[index] = try service.serve(workers[index]) }
        try await untilWorking(isRestarted ? [other, workers[index]] : [other])
        return (ContinuousClock.now - begun) / .seconds(1)
    }

    private func stop() {
        for process in processes { process.signal(SIGTERM) }
        for process in processes { _ = process.statusBlocking(within: .seconds(60)) }
    }

    /// - Parameter workers: the running workers; the first gets orders.
    private func untilWorking(_ workers: [BenchWorker]) async throws {
        let deadline = ContinuousClock.now + .seconds(90)
        func wait(_ problem: String, until isSo: () async throws -> Bool) async throws {
            while try await !isSo() {
                guard ContinuousClock.now < deadline else { throw BenchError("\(service.name): \(problem)") }
                try await Task.sleep(for: .milliseconds(10))
            }
        }
        try await wait("a worker is not ready") { await workers[0].isReady }
        let isDone = try await service.work(workers[0])
        try await wait("partitions make no progress", until: isDone)
        for worker in workers { try await wait("a worker is not ready") { await worker.isReady } }
    }
}
