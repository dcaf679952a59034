import Contracts
import OrchardPostgres
import Testing

@testable import Outbox

@Suite("An inbox", .timeLimit(.minutes(4)))
struct InboxTests {
    @Test func takesEachRecordOnce() async throws {
        try await started { inbox, connection in
            try await connection.transaction { connection in
                let next = try await inbox.lock(3, from: nil, on: connection)
                #expect(next == 0)
                try await inbox.advance(3, from: next, to: 12, by: 10, on: connection)
            }
            let watermark = try await inbox.watermarks(on: connection)[3]
            #expect(watermark?.nextOffset == 12)
            #expect(watermark?.count == 10)
        }
    }

    @Test func fencesOffWhoeverComesWithAnOldOffset() async throws {
        try await started { inbox, connection in
            try await inbox.advance(3, from: 0, to: 5, by: 5, on: connection)
            await #expect { try await inbox.advance(3, from: 0, to: 7, by: 7, on: connection) } throws: {
                ($0 as? InboxError)?.code == .fenced
            }
            let watermark = try await inbox.watermarks(on: connection)[3]
            #expect(watermark?.nextOffset == 5)
        }
    }

    @Test func doesNotMoveWhenTheEffectIsUndone() async throws {
        struct TestError: Error {}
        try await started { inbox, connection in
            await #expect(throws: TestError.self) {
                try await connection.transaction { connection in
                    try await inbox.advance(3, from: 0, to: 5, by: 5, on: connection)
                    throw TestError()
                }
            }
            let watermark = try await inbox.watermarks(on: connection)[3]
            #expect(watermark?.nextOffset == 0)
        }
    }

    @Test func knowsOnlyPartitionsThatWereStarted() async throws {
        try await started { inbox, connection in
            await #expect { try await inbox.lock(4, from: nil, on: connection) } throws: {
                ($0 as? InboxError)?.code == .noWatermark
            }
        }
    }

    @Test func goesOnWhereItWasAndReportsWhatRetentionTook() async throws {
        try await started { inbox, connection in
            try await inbox.advance(3, from: 0, to: 5, by: 5, on: connection)
            let again = try await start(inbox, low: 0, committed: 5, on: connection)
            #expect(again == InboxStart(offset: 5, loss: nil))
            let later = try await start(inbox, low: 9, committed: 5, on: connection)
            #expect(later == InboxStart(offset: 9, loss: 5..<9))
            // Reported once: the watermark has moved past the loss.
            let third = try await start(inbox, low: 9, committed: 5, on: connection)
            #expect(third == InboxStart(offset: 9, loss: nil))
            let losses = try await inbox.losses(on: connection)
            #expect(losses.map(\.offsets) == [5..<9])
        }
    }

    @Test(arguments: [
        ("UPDATE shop.inbox_watermarks SET timeline = '00000007'", InboxError.Code.promoted),
        ("UPDATE shop.inbox_watermarks SET system_identifier = 7", .databaseChanged),
        ("UPDATE shop.inbox_watermarks SET objects = '7/8'", .databaseChanged),
    ])
    func stopsWhenTheServerIsNoLongerTheSame(_ sql: String, _ code: InboxError.Code) async throws {
        try await started { inbox, connection in
            try await connection.execute(sql)
            await #expect { try await inbox.lock(3, from: nil, on: connection) } throws: {
                ($0 as? InboxError)?.code == code
            }
            await #expect { try await start(inbox, low: 0, committed: nil, on: connection) } throws: {
                ($0 as? InboxError)?.code == code
            }
        }
    }

    @Test func stopsWhenTheSessionNoLongerKnowsItsServer() async throws {
        try await started { inbox, connection in
            _ = try await inbox.lock(3, from: nil, on: connection)
            try await connection.script("RESET ALL")
            await #expect(throws: PostgresError.self) { try await inbox.lock(3, from: nil, on: connection) }
        }
    }

    private func started(_ body: (Inbox, PostgresConnection) async throws -> Void) async throws {
        try await ServiceDatabase.with { database in
            let connection = try await database.connect()
            let start = try await start(database.inbox, low: 0, committed: nil, on: connection)
            #expect(start == InboxStart(offset: 0, loss: nil))
            try await body(database.inbox, connection)
            await connection.close()
        }
    }

    private func start(
        _ inbox: Inbox, low: Int64, committed: Int64?, on connection: PostgresConnection
    ) async throws -> InboxStart? {
        try await inbox.start(
            [3: Inbox.LogState(low: low, high: 100, committed: committed)], clusterID: "A", acceptLogStart: false,
            on: connection
        ).starts[3]
    }
}
