import OrchardPostgres
import OrchardServiceKit
import TestSupport
import Testing

@Suite("A listener", .timeLimit(.minutes(4)))
struct ListenerTests {
    @Test func passesPayloadsOnToThoseWhoListenToTheirChannel() async throws {
        try await listening { listener, database in
            var orders = listener.notifications(on: "orders").makeAsyncIterator()
            try await untilListening(&orders)
            try await notify(database, "other", "nothing")
            try await notify(database, "orders", "42")
            try await expect("42", from: &orders)
        }
    }

    @Test func saysLookAtEverythingAfterAReconnect() async throws {
        try await listening { listener, database in
            var orders = listener.notifications(on: "orders").makeAsyncIterator()
            try await untilListening(&orders)
            try await database.endSessions()
            try await expect("", from: &orders)
            try await notify(database, "orders", "43")
            try await expect("43", from: &orders)
        }
    }

    @Test func tellsASlowReaderThatItMissedSomething() async throws {
        try await listening { listener, database in
            var listen = listener.notifications(on: "orders").makeAsyncIterator()
            let slow = listener.notifications(on: "orders", keeping: 2)
            try await untilListening(&listen)
            for number in 1...5 { try await notify(database, "orders", "\(number)") }
            while let payload = await listen.next(), payload != "5" {}
            var reader = slow.makeAsyncIterator()
            let kept = [await reader.next(), await reader.next()]
            #expect(kept.contains(""))
        }
    }

    /// The stream begins with one wake, and gets another when the listener has connected.
    private func untilListening(_ iterator: inout AsyncStream<String>.AsyncIterator) async throws {
        try await expect("", from: &iterator)
        try await expect("", from: &iterator)
    }

    private func expect(
        _ payload: String, from iterator: inout AsyncStream<String>.AsyncIterator,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let next = await iterator.next()
        #expect(next == payload, sourceLocation: sourceLocation)
    }

    private func notify(_ database: TestDatabase, _ channel: String, _ payload: String) async throws {
        let connection = try await PostgresConnection.connect(database.configuration)
        try await connection.execute("SELECT pg_notify($1, $2)", [channel, payload])
        await connection.close()
    }

    private func listening(
        _ body: @escaping @Sendable (PostgresListener, TestDatabase) async throws -> Void
    ) async throws {
        try await TestDatabase.with { database in
            let listener = PostgresListener(
                database.configuration, channels: ["orders", "other"], logger: Logger(label: "test"))
            try await withThrowingTaskGroup(of: Void.self) { group in
                let (ready, signal) = AsyncStream<Void>.makeStream()
                group.addTask {
                    for await _ in ready { break }
                    try? await listener.run()
                }
                group.addTask {
                    signal.yield()
                    try await body(listener, database)
                }
                _ = try await group.next()
                group.cancelAll()
            }
        }
    }
}
