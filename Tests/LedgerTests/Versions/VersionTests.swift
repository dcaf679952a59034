import Contracts
import LedgerFixtures
import Testing

@testable import Ledger

@Suite("A row is read, posted and hashed by the versions that made it")
struct VersionTests {
    /// A later program: it owes late money to another account, and hashes the record before its position.
    private static let future = VersionRegistry(
        readers: [.v1, .v2],
        rules: [
            .v1, .v2,
            PostingRules { movement in
                guard case .received(let amount, _) = movement else { return PostingRules.v2.postings(movement) }
                return PostingRules.v2.postings(.received(amount, owedBy: .unallocatedReceipts))
            },
        ],
        layouts: [
            .v1,
            RowLayout { row in
                var bytes = CanonicalBytes(version: 2)
                bytes.append(row.record.value)
                bytes.append(row.record.position.offset)
                return bytes.bytes
            },
        ])

    /// Paid, and paid a second time; then an upgrade; then paid a third time.
    private static func rows(upgraded: Int = 3) throws -> [JournalRow] {
        let totals = try Shop.totals()
        let history = History()
        let facts =
            [history.offer(1, totals)]
            + (1...3).map { history.fact(Shop.paymentID($0), transition: 1, amount: totals.amount, .succeeded) }
        var book = PartitionBook(partition: Shop.partition)
        return facts.enumerated().compactMap { index, fact in
            book.append(
                ReadRecord(
                    fact.record(at: Int64(index)),
                    by: index < upgraded ? VersionRegistry.known.newest : future.newest))
        }
    }

    private static func audit(_ rows: [JournalRow], _ registry: VersionRegistry) -> ChainAudit {
        var audit = ChainAudit(partition: Shop.partition, key: .fixed, registry: registry)
        audit.add(rows.map { StoredRow($0) }, pages: 2)
        return audit
    }

    @Test("An upgrade does not contradict the rows before it")
    func upgrade() throws {
        let rows = try Self.rows()
        #expect(rows.map(\.versions.rules) == [2, 2, 2, 3])
        #expect(
            rows.flatMap(\.entries).map { $0.postings.last?.account } == [
                .taxPayable, .refundsDue, .unallocatedReceipts,
            ])
        let audit = Self.audit(rows, Self.future)
        #expect(audit.differences.isEmpty, "\(audit.differences)")
        #expect(audit.brokenLinks.isEmpty, "\(audit.brokenLinks)")
    }

    @Test("A row that names another version than the one that made it is found")
    func changed() throws {
        let rows = try Self.rows()
        let claimed = rows.map { row in
            StoredRow(
                position: row.record.position, versions: Self.future.newest.versions, disposition: row.disposition,
                record: row.record, entries: row.entries, faults: row.faults, hash: row.hash,
                columns: StoredRow.columns(of: row.event))
        }
        var audit = ChainAudit(partition: Shop.partition, key: .fixed, registry: Self.future)
        audit.add(claimed, pages: 10)
        #expect(audit.brokenLinks.first.map(\.position?.offset) == [0, 1, 2])
        // An entry contains its rules' version; the rules of row 2 also post to another account.
        #expect(audit.differences.first.map(\.position?.offset) == [1, 2])
    }

    @Test("A row that a newer program made is reported as such, not as wrong")
    func newer() throws {
        let audit = Self.audit(try Self.rows(), .known)
        #expect(audit.differences.first.map(\.position?.offset) == [3])
        #expect(audit.differences.first.first?.text.contains("needs a newer order-ledger") == true)
        #expect(audit.brokenLinks.isEmpty)
    }

    @Test("A row by older code after newer code is found")
    func downgrade() throws {
        var book = PartitionBook(partition: Shop.partition)
        let fact = History().offer(1, try Shop.totals())
        let next = History().offer(2, try Shop.totals(shipping: 900))
        let rows = [
            book.append(ReadRecord(fact.record(at: 0), by: Self.future.newest)),
            book.append(ReadRecord(next.record(at: 1))),
        ].compactMap(\.self)
        let audit = Self.audit(rows, Self.future)
        #expect(audit.differences.first.map(\.text) == ["made by an older version than the row before it"])
    }

    @Test("The numbers of a registry count from 1, and the highest is the newest")
    func registry() {
        #expect(Self.future.newest.versions == RowVersions(reader: 2, rules: 3, layout: 2))
        #expect(Self.future[RowVersions(reader: 1, rules: 1, layout: 2)] != nil)
        for unknown in [(0, 1, 1), (3, 1, 1), (1, 4, 1), (1, 1, 3)] as [(Int16, Int16, Int16)] {
            #expect(Self.future[RowVersions(reader: unknown.0, rules: unknown.1, layout: unknown.2)] == nil)
        }
    }
}
