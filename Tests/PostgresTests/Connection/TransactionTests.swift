import OrchardPostgres
import OrchardServiceKit
import TestSupport
import Testing

@Suite("A transaction", .timeLimit(.minutes(4)))
struct TransactionTests {
    private struct TestError: Error {}

    @Test func isCommittedWhenItsBodyReturns() async throws {
        try await withTable { connection, other in
            try await connection.transaction { connection in
                try await connection.execute("INSERT INTO t VALUES (1)")
                try await expectRows(0, seenBy: other)
            }
            try await expectRows(1, seenBy: other)
        }
    }

    @Test func isUndoneWhenItsBodyThrows() async throws {
        try await withTable { connection, other in
            await #expect(throws: TestError.self) {
                try await connection.transaction { connection in
                    try await connection.execute("INSERT INTO t VALUES (1)")
                    throw TestError()
                }
            }
            try await expectRows(0, seenBy: connection)
        }
    }

    @Test func doesNotPassAFailedStatementOffAsDone() async throws {
        try await withTable { connection, other in
            await #expect {
                try await connection.transaction { connection in
                    try await connection.execute("INSERT INTO t VALUES (1)")
                    _ = try? await connection.execute("INSERT INTO t VALUES (1)")
                }
            } throws: { ($0 as? PostgresError)?.code == .transactionAborted }
            try await expectRows(0, seenBy: other)
        }
    }

    @Test func isUndoneWhenItsTaskIsCancelled() async throws {
        try await withTable { connection, other in
            let (started, signal) = AsyncStream<Void>.makeStream()
            let task = Task {
                try await connection.transaction { connection in
                    try await connection.execute("INSERT INTO t VALUES (1)")
                    signal.yield()
                    try await connection.execute("SELECT pg_sleep(3600)")
                }
            }
            for await _ in started { break }
            task.cancel()
            await #expect { try await task.value } throws: { ($0 as? PostgresError)?.code == .cancelled }
            try await expectRows(0, seenBy: connection)
        }
    }

    // Failure scenario 41.
    @Test func whoseConnectionDiesDuringCommitIsUnknown() async throws {
        try await withTable { connection, other in
            try await other.script(
                """
                CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS $$
                    BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
                CREATE CONSTRAINT TRIGGER die AFTER INSERT ON t DEFERRABLE INITIALLY DEFERRED
                    FOR EACH ROW EXECUTE FUNCTION die();
                """)
            await #expect {
                try await connection.transaction { try await $0.execute("INSERT INTO t VALUES (1)") }
            } throws: { ($0 as? PostgresError)?.code == .commitUnknown }
        }
    }

    @Test func whoseConnectionDiesBeforeCommitIsLost() async throws {
        try await withTable { connection, other in
            await #expect {
                try await connection.transaction { connection in
                    try await connection.execute("INSERT INTO t VALUES (1)")
                    try await connection.execute("SELECT pg_terminate_backend(pg_backend_pid())")
                }
            } throws: { ($0 as? PostgresError)?.code == .connectionLost }
            try await expectRows(0, seenBy: other)
        }
    }

    @Test func commitsWithItsLastStatements() async throws {
        try await withTable { connection, other in
            let value = try await connection.transaction { connection in
                try await connection.execute("INSERT INTO t VALUES (1)")
                try await connection.commit(after: [PostgresStatement("INSERT INTO t VALUES (2)")])
                try await expectRows(2, seenBy: other)
                return 7
            }
            #expect(value == 7)
            // It is over: the next one is another.
            try await connection.transaction { try await $0.execute("INSERT INTO t VALUES (3)") }
            try await expectRows(3, seenBy: other)
        }
    }

    @Test func commitsNothingWhenOneOfItsLastStatementsFails() async throws {
        try await withTable { connection, other in
            await #expect {
                try await connection.transaction { connection in
                    try await connection.execute("INSERT INTO t VALUES (1)")
                    try await connection.commit(after: [
                        PostgresStatement("INSERT INTO t VALUES (2)"), PostgresStatement("INSERT INTO t VALUES (1)"),
                        PostgresStatement("INSERT INTO t VALUES (3)"),
                    ])
                }
            } throws: { ($0 as? PostgresError)?.sqlState == "23505" }
            try await expectRows(0, seenBy: other)
            try await connection.execute("INSERT INTO t VALUES (1)")
            try await expectRows(1, seenBy: other)
        }
    }

    @Test func refusesWhatComesAfterItsCommit() async throws {
        try await withTable { connection, other in
            await #expect {
                try await connection.transaction { connection in
                    try await connection.commit(after: [PostgresStatement("INSERT INTO t VALUES (1)")])
                    try await connection.execute("INSERT INTO t VALUES (2)")
                }
            } throws: { ($0 as? PostgresError)?.code == .misuse }
            try await expectRows(1, seenBy: other)
            await #expect {
                try await connection.commit(after: [PostgresStatement("INSERT INTO t VALUES (2)")])
            } throws: { ($0 as? PostgresError)?.code == .misuse }
            try await expectRows(1, seenBy: other)
        }
    }

    @Test func thatWasCommittedIsNotCalledCancelled() async throws {
        try await withTable { connection, other in
            let (committed, signal) = AsyncStream<Void>.makeStream()
            let (told, tell) = AsyncStream<Void>.makeStream()
            let task = Task {
                try await connection.transaction { connection in
                    try await connection.commit(after: [PostgresStatement("INSERT INTO t VALUES (1)")])
                    signal.yield()
                    // Not ended by the cancellation of the task that waits.
                    await Task { for await _ in told { break } }.value
                }
            }
            for await _ in committed { break }
            task.cancel()
            tell.yield()
            try await task.value
            try await expectRows(1, seenBy: other)
        }
    }

    @Test func whoseConnectionDiesWithItsLastStatementsIsUnknown() async throws {
        try await withTable { connection, _ in
            let actions = Locked(0)
            await #expect {
                try await connection.transaction { connection in
                    try await connection.execute("INSERT INTO t VALUES (1)")
                    connection.onCommit { actions.withLock { $0 += 1 } }
                    try await connection.commit(after: [
                        PostgresStatement("SELECT pg_terminate_backend(pg_backend_pid())")
                    ]
                    )
                }
            } throws: { ($0 as? PostgresError)?.code == .commitUnknown }
            #expect(actions.withLock { $0 } == 1)
        }
    }

    @Test func runsWhatWaitsForItsCommitAfterIt() async throws {
        try await withTable { connection, other in
            let actions = Locked<[String]>([])
            @Sendable func act(_ name: String) { actions.withLock { $0.append(name) } }
            try await connection.transaction { connection in
                // Before the first statement, with which BEGIN travels.
                connection.onCommit { act("first") }
                #expect(actions.withLock { $0 } == [])
                try await connection.commit(after: [PostgresStatement("INSERT INTO t VALUES (1)")])
            }
            #expect(actions.withLock { $0 } == ["first"])
            try await expectRows(1, seenBy: other)
            try await connection.transaction { $0.onCommit { act("empty") } }
            #expect(actions.withLock { $0 } == ["first", "empty"])
            struct Undone: Error {}
            await #expect(throws: Undone.self) {
                try await connection.transaction { connection in
                    connection.onCommit { act("undone") }
                    throw Undone()
                }
            }
            connection.onCommit { act("outside") }
            #expect(actions.withLock { $0 } == ["first", "empty", "outside"])
        }
    }

    @Test func doesNotNest() async throws {
        try await withTable { connection, _ in
            await #expect {
                try await connection.transaction { outer in
                    try await outer.execute("INSERT INTO t VALUES (1)")
                    try await outer.transaction { _ in }
                }
            } throws: { ($0 as? PostgresError)?.code == .misuse }
            try await expectRows(0, seenBy: connection)
        }
    }

    @Test func inSnapshotModeSeesOneStateAndWritesNothing() async throws {
        try await withTable { connection, other in
            try await connection.transaction(.snapshot) { connection in
                try await expectRows(0, seenBy: connection)
                try await other.execute("INSERT INTO t VALUES (1)")
                try await expectRows(0, seenBy: connection)
            }
            await #expect {
                try await connection.transaction(.snapshot) { try await $0.execute("DELETE FROM t") }
            } throws: { ($0 as? PostgresError)?.sqlState == "25006" }
        }
    }

    private func withTable(_ body: (PostgresConnection, PostgresConnection) async throws -> Void) async throws {
        try await TestDatabase.with { database in
            let connection = try await PostgresConnection.connect(database.configuration)
            let other = try await PostgresConnection.connect(database.configuration)
            try await connection.script("CREATE TABLE t (a bigint PRIMARY KEY)")
            try await body(connection, other)
        }
    }

    private func expectRows(
        _ count: Int, seenBy connection: PostgresConnection, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let rows = try await connection.query("SELECT a FROM t")
        #expect(rows.count == count, sourceLocation: sourceLocation)
    }
}
