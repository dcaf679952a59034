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

    @Test("A database that is newer by additive migrations serves", arguments: [[4], [4, 5]])
    func additive(_ newer: [Int]) throws {
        let applied = (1...3).map { self.applied($0) } + newer.map { self.applied($0, isAdditive: true) }
        #expect(try MigrationHistory.pending(known: known, applied: applied).isEmpty)
    }

    @Test func oneOfTheNewerThatIsNotAdditiveIsRefused() {
        let applied = (1...3).map { self.applied($0) } + [self.applied(4, isAdditive: true), self.applied(5)]
        #expect { try MigrationHistory.pending(known: known, applied: applied) } throws: {
            "\($0)".contains("migration 5 (m5)")
        }
    }

    private func applied(
        _ number: Int, checksum: [UInt8]? = nil, isAdditive: Bool = false
    ) -> MigrationHistory.Applied {
        MigrationHistory.Applied(
            number: number, name: "m\(number)", checksum: checksum ?? [UInt8(number)], isAdditive: isAdditive)
    }
}
