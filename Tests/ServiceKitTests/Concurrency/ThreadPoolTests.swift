import Foundation
import OrchardServiceKit
import TestSupport
import Testing

@Suite("Thread pool")
struct ThreadPoolTests {
    @Test("runs calls on its own threads, and returns the result or the error")
    func results() async throws {
        struct Failure: Error {}
        let pool = ThreadPool(name: "pool-test", threads: 2)
        await #expect(throws: Failure.self) { try await pool.run { () throws(Failure) -> Int in throw Failure() } }
        let all = await withTaskGroup(of: Int?.self) { group in
            for number in 0..<100 { group.addTask { await pool.run { number } } }
            return await group.reduce(into: Set<Int>()) { if let number = $1 { $0.insert(number) } }
        }
        #expect(all == Set(0..<100))

        let here = await threads { thread() }
        let there = await threads { await pool.run { thread() } }
        #expect(there.count <= 2)
        #expect(here.isDisjoint(with: there))
    }

    /// The threads on which `body` ran.
    private func threads(_ body: @escaping @Sendable () async -> UInt?) async -> Set<UInt> {
        await withTaskGroup(of: UInt?.self) { group in
            for _ in 0..<100 { group.addTask { await body() } }
            return await group.reduce(into: []) { if let thread = $1 { $0.insert(thread) } }
        }
    }

    @Test("accepts no more calls than its limit, and leaves the other threads free")
    func bound() async throws {
        let gate = DispatchSemaphore(value: 0)
        let pool = ThreadPool(name: "pool-test", threads: 2, waitingPerThread: 3)
        await withTaskGroup(of: Int?.self) { group in
            for number in 0..<9 {
                group.addTask {
                    // A blocked thread stands for one that computes for a long time.
                    await pool.run {
                        block(gate)
                        return number
                    }
                }
            }
            // Eight are accepted; the ninth is refused while all threads are in use.
            #expect(await group.next() == .some(nil))
            for _ in 0..<8 { gate.signal() }
            let rest = await group.reduce(into: [Int]()) { if let number = $1 { $0.append(number) } }
            #expect(rest.count == 8)
        }
        gate.signal()
        #expect(
            await pool.run {
                block(gate)
                return 1
            } == 1, "there is room again")
    }
}

private func thread() -> UInt { UInt(pthread_self()) }

private func block(_ gate: DispatchSemaphore) { gate.wait() }
