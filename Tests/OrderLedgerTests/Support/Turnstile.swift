/// Lets a number of tasks in at once; the others wait their turn.
actor Turnstile {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(places: Int) {
        free = places
    }

    nonisolated func pass(_ body: () async throws -> Void) async rethrows {
        await enter()
        do { try await body() } catch {
            await leave()
            throw error
        }
        await leave()
    }

    private func enter() async {
        if free > 0 { free -= 1 } else { await withCheckedContinuation { waiting.append($0) } }
    }

    private func leave() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}
