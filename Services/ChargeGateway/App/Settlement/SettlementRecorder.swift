import Acquirers
import Charging
import Contracts
import OrchardCrypto
import OrchardPostgres
import OrchardServiceKit
import Outbox

/// Takes a day's file: decides what queries could not, and tells the journal of each row once.
///
/// A file is kept with the first transaction and recorded in portions; whoever is killed in between is followed by anybody
/// who goes on where the file's row says.
struct SettlementRecorder: Sendable {
    let pool: PostgresPool
    let transactions: OrderTransactions
    /// Partitions of each topic.
    let partitions: Int32
    let telemetry: SettlementTelemetry
    /// Where files are read: a large one takes seconds.
    let threads: ThreadPool
    let store = SettlementStore()

    /// What came of a file.
    enum Result: Sendable {
        case recorded(SettlementFile)
        /// It was recorded before, with the same content.
        case known(SettlementFile)
        case refused(SettlementFileError)
        /// Another one was taken for the day.
        case contradicted
    }

    /// Rows and disputes of one transaction.
    static let portion = 500

    /// Takes a file, or goes on with one that was taken.
    func record(
        _ content: [UInt8], of day: SettlementDay, from source: any SettlementSource
    ) async throws -> Result {
        let digest = SHA256.hash(content)
        let file: SettlementFile
        do {
            let read = try await threads.run {
                try source.settlementFile(content, of: day.account, on: day.date)
            }
            guard let read else { throw StoreError(.miscounted, at: "settlement", "too many files are read at once") }
            file = read
        } catch let error as SettlementFileError {
            let kept = error.code == .cardNumber ? [] : content
            try await keepAside(kept, digest: digest, reason: error.description, of: day)
            telemetry.report(.refused, error.description, of: day)
            return .refused(error)
        }
        let stored = try await take(file, content, digest: digest, of: day)
        let day = SettlementDay(
            merchant: stored.merchant, acquirer: day.acquirer, account: day.account, date: day.date)
        guard stored.contentDigest == file.contentDigest else {
            let reason = "another content than the one that was recorded; nothing of it is taken"
            try await keepAside(content, digest: digest, reason: reason, of: day)
            telemetry.report(.contradicted, reason, of: day)
            return .contradicted
        }
        guard !stored.isComplete else {
            telemetry.report(.known, "the same as before", of: day)
            return .known(file)
        }
        try await record(file, of: day, stored)
        telemetry.report(
            .recorded, "\(file.rows.count) rows, \(file.disputes.count) disputes, net \(file.totals.net)", of: day)
        return .recorded(file)
    }

    /// Keeps the file with its sums, unless there is one of the day.
    private func take(
        _ file: SettlementFile, _ content: [UInt8], digest: [UInt8], of day: SettlementDay
    ) async throws -> SettlementStore.Stored {
        try await pool.withTransaction { connection in
            if let stored = try await store.file(of: day, on: connection) { return stored }
            let partition = partition(of: day)
            try await requireSteppable([partition], on: connection)
            try await store.add(file, content, digest: digest, of: day, in: partition, on: connection)
            return SettlementStore.Stored(
                partition: partition, merchant: day.merchant, contentDigest: file.contentDigest, recorded: 0,
                isComplete: false)
        }
    }

    private func keepAside(_ content: [UInt8], digest: [UInt8], reason: String, of day: SettlementDay) async throws {
        try await pool.withTransaction { connection in
            try await store.keepAside(
                content, digest: digest, reason: reason, of: day, in: partition(of: day), on: connection)
        }
    }

    private func record(
        _ file: SettlementFile, of day: SettlementDay, _ stored: SettlementStore.Stored
    ) async throws {
        var place = Int(stored.recorded)
        while place < file.rows.count {
            let rows = Array(file.rows[place..<min(place + Self.portion, file.rows.count)])
            try await record(rows, at: place, of: day, dayPartition: stored.partition)
            place += rows.count
        }
        while place < file.rows.count + file.disputes.count {
            let start = place - file.rows.count
            let disputes = Array(file.disputes[start..<min(start + Self.portion, file.disputes.count)])
            try await record(disputes, at: place, of: day, dayPartition: stored.partition)
            place += disputes.count
        }
        let fact = Fact.settlementFileRecorded(
            SettlementFileRecorded(
                day: day, digest: file.contentDigest, rows: Int64(file.rows.count),
                disputes: Int64(file.disputes.count),
                currency: file.currency, taken: file.totals.taken, returned: file.totals.returned,
                fees: file.totals.fees, net: file.totals.net))
        try await commit(
            [(stored.partition, fact)], [SettlementStore.completing(day)], at: place, of: day)
    }

    private func record(
        _ rows: [SettlementRow], at place: Int, of day: SettlementDay, dayPartition: Int32
    ) async throws {
        let search = SettledOperations(acquirer: day.acquirer, account: day.account)
        let known = try await transactions.read { try await search.find(rows.map(\.orderNumber), on: $0) }
        var matched: [SettlementStore.Matched] = []
        for row in rows {
            let operation = SettledOperations.match(row, among: known[row.orderNumber] ?? [])
            if let operation { try await decide(operation, by: row, on: day.date) }
            // An account that was another merchant's before: the row ends the operation, and is booked in the day's name.
            let own = operation.flatMap { $0.merchant == day.merchant ? $0 : nil }
            matched.append(
                SettlementStore.Matched(
                    row: row, operation: own, partition: own?.partition ?? dayPartition, day: day))
        }
        try await commit(
            matched.map { ($0.partition, $0.fact) },
            [SettlementStore.insertion.write(matched)].compactMap(\.self)
                + [SettlementStore.advancing(day, from: place, to: place + rows.count)],
            at: place, of: day)
        telemetry.recorded(matched, of: day)
    }

    /// Gives the operation's machine what the row proves, by the same way as an answer: the rules of money are there.
    private func decide(_ operation: KnownOperation, by row: SettlementRow, on date: SettlementDate) async throws {
        guard !operation.isSettled(by: row) else { return }
        let answer = row.answer(of: operation.reference, reserved: operation.reserved, settledOn: date)
        _ = try await transactions.step(operation.order, in: operation.partition) { order, time in
            (order.receive(.operation(operation.operation, .settled(answer)), at: time), ())
        }
    }

    private func record(
        _ disputes: [SettlementDispute], at place: Int, of day: SettlementDay, dayPartition: Int32
    ) async throws {
        var facts: [(partition: Int32, fact: Fact)] = []
        for dispute in disputes {
            let found = try await transactions.read { try await store.disputed(dispute.trace, of: day, on: $0) }
            let fact = DisputeOpened(
                order: found?.settled?.order ?? day.subject, day: day, operation: found?.settled?.2,
                serial: found?.serial ?? dispute.trace, amount: dispute.amount, code: dispute.code)
            facts.append((found?.settled?.partition ?? dayPartition, .disputeOpened(fact)))
        }
        try await commit(
            facts, [SettlementStore.advancing(day, from: place, to: place + disputes.count)], at: place, of: day)
    }

    /// Writes a portion and its facts in one transaction, if nobody else has done it meanwhile.
    private func commit(
        _ facts: [(partition: Int32, fact: Fact)], _ writes: [Write], at place: Int, of day: SettlementDay
    ) async throws {
        try await pool.withTransaction { connection in
            let results = try await connection.pipeline([
                SettlementStore.locking(day), PostgresStatement("SELECT clock_timestamp() AS now"),
            ])
            guard let row = results[0].rows.first, try row.int64("recorded") == Int64(place),
                let time = try results[1].rows.first?.time("now")
            else {
                throw StoreError(.miscounted, at: "settlement_files", "another process records this file; look again")
            }
            try await requireSteppable(Set(facts.map(\.partition)), on: connection)
            let rows = facts.map { partition, fact in
                OutboxRow(
                    CloudEvent(fact, source: OrderTransactions.source, time: time), topic: .journal,
                    partition: partition)
            }
            try await transactions.outbox.commit(rows, with: writes, on: connection)
        }
    }

    /// Nothing is written of a partition whose database may lack commits.
    private func requireSteppable(_ partitions: Set<Int32>, on connection: PostgresConnection) async throws {
        let rows = try await connection.pipeline([transactions.inbox.fence(partitions.sorted())])[0].rows
        let found = try rows.reduce(into: [Int32: PostgresRow]()) { $0[try $1.int32("partition")] = $1 }
        for partition in partitions { try transactions.inbox.check(found[partition], partition) }
    }

    private func partition(of day: SettlementDay) -> Int32 { Partitioner.partition(of: day.subject, among: partitions) }
}

extension SettlementStore.Matched {
    fileprivate var fact: Fact {
        .settlementRecorded(
            SettlementRecorded(
                order: operation?.order ?? day.subject, day: day,
                operation: operation.map { SettledOperation(payment: $0.payment, operation: $0.operation) },
                kind: row.kind, serial: row.serial, orderNumber: row.orderNumber, amount: row.amount, fee: row.fee,
                net: row.net))
    }
}
