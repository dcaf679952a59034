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
        let groups: Groups

        init(inputs: Int? = nil) { groups = Groups(GroupLimits(groups: 1, size: 100, inputs: inputs)) }

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

        /// Waits until so many inputs have come, and the first is being performed.
        func untilThere(_ count: Int) async {
            while groups.count < count || log.isEmpty { try? await Task.sleep(for: .milliseconds(1)) }
        }
    }

    /// Begins the inputs one after the other, while the first group lasts.
    private static func perform(
        _ inputs: [Int], at worker: Worker, _ body: @escaping @Sendable ([Int]) throws -> Void = { _ in }
    ) async throws -> [Int: Result<String, any Error>] {
        await withTaskGroup(of: (Int, Result<String, any Error>).self) { tasks in
            for (count, input) in inputs.enumerated() {
                tasks.addTask {
                    do { return (input, .success(try await worker.perform(input, body))) } catch {
                        return (input, .failure(error))
                    }
                }
                await worker.untilThere(count + 1)
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

    @Test("are performed together when they come at the same time")
    func atOnce() async throws {
        let groups = Groups()
        let performed = Locked<[[Int]]>([])
        // On one thread no task begins while another one is being made.
        try await ThreadPool(name: "one", threads: 1).run {
            try await withThrowingDiscardingTaskGroup { tasks in
                for input in 1...8 {
                    tasks.addTask {
                        _ = try await groups.perform(input, of: input) { inputs in
                            performed.withLock { $0.append(inputs) }
                            return inputs.map(\.description)
                        }
                    }
                }
            }
        }
        #expect(performed.withLock { $0 } == [Array(1...8)])
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

    @Test("fail together when their connection is lost")
    func lost() async throws {
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

    @Test("of clients that wait fail all at once when the database cannot be reached, or too many are there")
    func limited() async throws {
        let worker = Worker(inputs: 4)
        let unreachable = PostgresError(.poolExhausted, "no connection")
        let results = await withTaskGroup(of: Result<String, any Error>.self) { tasks in
            for input in 1...4 {
                tasks.addTask {
                    do { return .success(try await worker.perform(input) { _ in throw unreachable }) } catch {
                        return .failure(error)
                    }
                }
                await worker.untilThere(input)
            }
            await #expect {
                try await worker.perform(5)
            } throws: {
                "\($0)".contains("too many requests wait")
            }
            worker.open()
            return await tasks.reduce(into: []) { $0.append($1) }
        }
        for result in results { #expect(throws: unreachable) { try result.get() } }
        #expect(worker.log == [[1]], "the others did not wait for their own failure")
        #expect(worker.groups.count == 0)
    }

    @Test("as large as a group are performed at once; who must wait for a lock does so alone, in several tries")
    func locked() async throws {
        let groups = Groups(GroupLimits(groups: 1, size: 100))
        let locked = Locked<[Int]>([])
        for (input, size, tries) in [(1, 100, 3), (2, 1, 4)] {
            let left = Locked(tries)
            let output = try await groups.perform(input, of: input, size: size) { inputs in
                locked.withLock { $0 += inputs }
                let isLocked = left.withLock { left in
                    left -= 1
                    return left > 0
                }
                if isLocked { throw PostgresError(.server, "locked", sqlState: "55P03") }
                return inputs.map(\.description)
            }
            #expect(output == "\(input)")
        }
        #expect(locked.withLock { $0 } == [1, 1, 1, 2, 2, 2, 2])
    }

    @Test("that failed also alone are in no group until they succeed")
    func failing() async throws {
        let groups = Groups(GroupLimits(groups: 1, size: 100))
        let (performed, isBad) = (Locked<[[Int]]>([]), Locked(true))
        func play() async {
            await ThreadPool(name: "one", threads: 1).run {
                await withDiscardingTaskGroup { tasks in
                    for input in 1...3 {
                        tasks.addTask {
                            _ = try? await groups.perform(input, of: input) { inputs in
                                performed.withLock { $0.append(inputs) }
                                if inputs.contains(2), isBad.withLock({ $0 }) { throw Bad() }
                                return inputs.map(\.description)
                            }
                        }
                    }
                }
            }
        }
        func log() -> Set<[Int]> {
            performed.withLock { log in
                defer { log = [] }; return Set(log)
            }
        }
        await play()
        #expect(log() == [[1, 2, 3], [1], [2], [3]])
        await play()
        #expect(log() == [[1, 3], [2]])
        isBad.withLock { $0 = false }
        await play()
        #expect(log() == [[1, 3], [2]])
        await play()
        #expect(log() == [[1, 2, 3]])
    }

    @Test("begin beside a large group that lasts long")
    func lasting() async throws {
        let groups = Groups(GroupLimits(groups: 2, size: 100))
        let (gate, begun) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
        try await withThrowingDiscardingTaskGroup { tasks in
            tasks.addTask {
                _ = try await groups.perform(1, of: 1, size: 50) { inputs in
                    begun.continuation.finish()
                    for await _ in gate.stream {}
                    return inputs.map(\.description)
                }
            }
            // What comes before the group begins is part of it.
            for await _ in begun.stream {}
            let output = try await groups.perform(2, of: 2) { $0.map(\.description) }
            #expect(output == "2")
            gate.continuation.finish()
        }
    }

    @Test("begin beside a group whose leader is cancelled and does not end", .timeLimit(.minutes(4)))
    func lastingWhenCancelled() async throws {
        let groups = Groups(GroupLimits(groups: 2, size: 100))
        let (gate, begun) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
        let leader = Task {
            try await groups.perform(1, of: 1) { inputs in
                begun.continuation.finish()
                // A task of its own: a wait in this one would end when it is cancelled.
                await Task { for await _ in gate.stream {} }.value
                return inputs.map(\.description)
            }
        }
        for await _ in begun.stream {}
        leader.cancel()
        let output = try await groups.perform(2, of: 2) { $0.map(\.description) }
        #expect(output == "2")
        gate.continuation.finish()
        _ = try? await leader.value
    }

    @Test("leave the queue when their task is cancelled")
    func cancelled() async throws {
        let worker = Worker()
        try await withThrowingTaskGroup(of: String.self) { tasks in
            tasks.addTask { try await worker.perform(1) }
            await worker.untilThere(1)
            let waiting = Task { try await worker.perform(2) }
            await worker.untilThere(2)
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
            worker.open()
            let first = try await tasks.next()
            #expect(first == "1 done")
        }
        #expect(worker.log == [[1]])
    }

    @Test("go on without a leader that is cancelled")
    func leader() async throws {
        let worker = Worker()
        let results = try await withThrowingTaskGroup(of: String.self) { tasks in
            tasks.addTask { try await worker.perform(1) }
            await worker.untilThere(1)
            let leader = Task {
                try await worker.perform(2) { _ in
                    withUnsafeCurrentTask { $0?.cancel() }
                    try Task.checkCancellation()
                }
            }
            await worker.untilThere(2)
            for input in [3, 4] {
                tasks.addTask { try await worker.perform(input) }
                await worker.untilThere(input)
            }
            worker.open()
            await #expect(throws: CancellationError.self) { try await leader.value }
            return try await tasks.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(results) == ["1 done", "3 done", "4 done"])
        #expect(worker.log.prefix(2) == [[1], [2, 3, 4]])
        // Not each alone: many devices may wait for one that has gone.
        #expect(worker.log.dropFirst(2).joined().sorted() == [3, 4])
    }
}
