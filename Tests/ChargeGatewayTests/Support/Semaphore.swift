import OrchardServiceKit

/// Lets only so many through at once: a server has 100 connections, and two cores.
actor Semaphore {
    private var places: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(places: Int) {
        self.places = places
    }

    nonisolated func pass(_ body: @Sendable () async throws -> Void) async throws {
        await enter()
        do {
            try await body()
            await leave()
        } catch {
            await leave()
            throw error
        }
    }

    private func enter() async {
        if places > 0 {
            places -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    private func leave() {
        if waiting.isEmpty { places += 1 } else { waiting.removeFirst().resume() }
    }
}
