import Contracts
import Ledger
import OrchardPostgres
import Outbox

/// The end of the books when an audit began, read in one short snapshot.
///
/// The audit checks rows up to there. They never change, so it reads them later, a page at a time and without a
/// snapshot. Facts that are folded meanwhile are left to the next audit.
struct AuditStart: Sendable {
    struct Partition: Sendable {
        let number: Int32
        let head: LedgerReader.Head?
        let watermark: Watermark?
        /// Facts at or behind the watermark, where no fact may be.
        var strays = FindingList()
        /// Entries and faults at or behind the watermark.
        var orphans = FindingList()

        /// The last offset that is checked. A partition without a watermark is checked to its end.
        var last: Int64 {
            guard let watermark else { return .max }
            return max(max(watermark.nextOffset, 0) - 1, head?.lastOffset ?? -1)
        }

        var position: JournalPosition { JournalPosition(partition: number, offset: watermark?.nextOffset ?? 0) }
    }

    let partitions: [Partition]
    /// The time by the database's clock.
    let now: Timestamp
    /// Random for each audit.
    let key = OrderSums.Key(.random(in: 0 ... .max), .random(in: 0 ... .max))

    /// - Parameter more: partitions to check even if no table names them.
    static func read(_ reader: LedgerReader, _ inbox: Inbox, and more: [Int32] = []) async throws -> AuditStart {
        try await reader.connection.transaction(.snapshot) { connection in
            let clock = try await connection.query("SELECT clock_timestamp() AS now")
            let heads = try await reader.heads()
            let watermarks = try await inbox.watermarks(on: connection)
            var partitions: [Partition] = []
            for number in Set(try await reader.partitions()).union(watermarks.keys).union(more).sorted() {
                var partition = Partition(number: number, head: heads[number], watermark: watermarks[number])
                try await partition.findStrays(reader)
                partitions.append(partition)
            }
            return AuditStart(partitions: partitions, now: try clock[0].time("now"))
        }
    }
}

extension AuditStart.Partition {
    fileprivate mutating func findStrays(_ reader: LedgerReader) async throws {
        func positions(_ table: String) async throws -> [JournalPosition] {
            try await reader.offsets(of: table, number, behind: last).map {
                JournalPosition(partition: number, offset: $0)
            }
        }
        for position in try await positions("facts") {
            strays.append(.init("the row is not below its partition's watermark", at: position))
        }
        for position in try await positions("entries") { orphans.append(LedgerReader.orphan("an entry", position)) }
        for position in try await positions("faults") { orphans.append(LedgerReader.orphan("a fault", position)) }
    }
}
