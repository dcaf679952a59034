import Testing

@testable import OrchardPostgres

@Suite("The history of a schema")
struct MigrationHistoryTests {
    private let known = [1, 2, 3].map { (Migration($0, "m\($0)", sql: ""), [UInt8($0)]) }

    @Test(arguments: [0, 1, 3])
    func whatWasNotRunIsPending(_ count: Int) throws {
        let applied = (0..<count).map { self.applied($0 + 1) }
        let pending = try MigrationHistory.pending(known: known, applied: applied)
        #expect(pending.map { $0.number } == Array([1, 2, 3].dropFirst(count)))
    }

    @Test func aChangedMigrationIsRefused() {
        #expect {
            try MigrationHistory.pending(known: known, applied: [applied(1), applied(2, checksum: [9])])
        } throws: {
            "\($0)".contains("0002_m2")
        }
    }

    @Test func aNewerDatabaseIsRefused() {
        #expect { try MigrationHistory.pending(known: known, applied: (1...4).map { applied($0) }) } throws: {
            "\($0)".contains("run a newer version")
        }
    }

    private func applied(_ number: Int, checksum: [UInt8]? = nil) -> MigrationHistory.Applied {
        MigrationHistory.Applied(number: number, name: "m\(number)", checksum: checksum ?? [UInt8(number)])
    }
}
