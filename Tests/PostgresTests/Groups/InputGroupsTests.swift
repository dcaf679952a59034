import OrchardServiceKit
import Testing

@testable import OrchardPostgres

@Suite("Inputs in groups", .timeLimit(.minutes(2)))
struct InputGroupsTests {
    private typealias Groups = InputGroups<Int, Int, String>
    private struct Bad: Error {}

    /// What was performed, group by group. The first group ends when it is told to.
    private final class Worker: Sendable {
        private let performed = Locked<[[Int]]>([])
        private let gate = AsyncStream<Void>.makeStream()
        let groups = Groups(GroupLimits(groups: 1, size: 100))

        var log: [[Int]] { performed.withLock { $0 } }

        func open() { gate.continuation.finish() }

        func perform(
            _ input: Int, _ body: @escaping @Sendable ([Int]) throws -> Void = { _ in }
        ) async throws -> String {
            try await groups.perform(input, of: input) { inputs in
                let isFirst = performed.withLock { performed in
                    performed.append(inputs)
                    return performed.count == 1
                }
                if isFirst { for await _ in gate.stream {} }
                try body(inputs)
                return inputs.map { "\($0) done" }
            }
        }

        func untilBegun() async throws { while log.isEmpty { try await Task.sleep(for: .milliseconds(1)) } }
    }

    /// Begins the inputs one after the other, while the first group lasts.
    private static func perform(
        _ inputs: [Int], at worker: Worker, _ body: @escaping @Sendable ([Int]) throws -> Void = { _ in }
    ) async throws -> [Int: Result<String, any Error>] {
        await withTaskGroup(of: (Int, Result<String, any Error>).self) { tasks in
            for input in inputs {
                tasks.addTask {
                    do { return (input, .success(try await worker.perform(input, body))) } catch {
                        return (input, .failure(error))
                    }
                }
                try? await Task.sleep(for: .milliseconds(20))
            }
            worker.open()
            return await tasks.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    @Test("are performed together when they come while a group is performed")
    func together() async throws {
        let worker = Worker()
        let results = try await Self.perform([1, 2, 3, 4], at: worker)
        #expect(try results.mapValues { try $0.get() } == [1: "1 done", 2: "2 done", 3: "3 done", 4: "4 done"])
        #expect(worker.log == [[1], [2, 3, 4]])
    }

    @Test("do not hinder each other: when a group fails, each is tried alone")
    func bad() async throws {
        let worker = Worker()
        let results = try await Self.perform([1, 2, 3, 4], at: worker) { if $0.contains(3) { throw Bad() } }
        for input in [1, 2, 4] { #expect(try results[input]?.get() == "\(input) done") }
        #expect(throws: Bad.self) { try results[3]?.get() }
        #expect(worker.log.prefix(2) == [[1], [2, 3, 4]])
        #expect(Set(worker.log.dropFirst(2)) == [[2], [3], [4]])
    }

    @Test("fail all at once when the database cannot be reached")
    func unreachable() async throws {
        let worker = Worker()
        let lost = PostgresError(.connectionLost, "gone")
        let results = try await Self.perform([1, 2, 3], at: worker) { if $0 != [1] { throw lost } }
        #expect(try results[1]?.get() == "1 done")
        for input in 2...3 { #expect(throws: lost) { try results[input]?.get() } }
        #expect(worker.log == [[1], [2, 3]])
    }

    @Test("that failed alone are tried once more only when time may heal it", arguments: [("40P01", 2), ("23505", 1)])
    func alone(state: String, tries: Int) async throws {
        let worker = Worker()
        worker.open()
        let error = PostgresError(.server, "refused", sqlState: state)
        await #expect(throws: error) { try await worker.perform(1) { _ in throw error } }
        #expect(worker.log.count == tries)
    }

    @Test("leave the queue when their task is cancelled")
    func cancelled() async throws {
        let worker = Worker()
        try await withThrowingTaskGroup(of: String.self) { tasks in
            tasks.addTask { try await worker.perform(1) }
            try await worker.untilBegun()
            let waiting = Task { try await worker.perform(2) }
            try await Task.sleep(for: .milliseconds(20))
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
            worker.open()
            #expect(try await tasks.next() == "1 done")
        }
        #expect(worker.log == [[1]])

    }

    @Test("go on without a leader that is cancelled")
    func leader() async throws {
        let worker = Worker()
        let results = try await withThrowingTaskGroup(of: String.self) { tasks in
            tasks.addTask { try await worker.perform(1) }
            try await worker.untilBegun()
            let leader = Task {
                try await worker.perform(2) { _ in
                    withUnsafeCurrentTask { $0?.cancel() }
                    try Task.checkCancellation()
                }
            }
            try await Task.sleep(for: .milliseconds(20))
            tasks.addTask { try await worker.perform(3) }
            try await Task.sleep(for: .milliseconds(20))
            worker.open()
            await #expect(throws: CancellationError.self) { try await leader.value }
            return try await tasks.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(results) == ["1 done", "3 done"])
        #expect(worker.log.prefix(2) == [[1], [2, 3]])
    }
}
