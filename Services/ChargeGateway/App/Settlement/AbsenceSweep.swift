import Acquirers
import Charging
import Contracts
import OrchardPostgres
import OrchardServiceKit
import Outbox

/// Finds operations whose outcome no query tells, and that no settlement file has.
struct AbsenceSweep: Sendable {
    let transactions: OrderTransactions
    let store = SettlementStore()

    /// An operation without an outcome.
    struct Candidate: Sendable {
        let partition: Int32
        let machine: OperationMachine
    }

    /// The most of a kind that are looked at in a round.
    private static let limit: Int64 = 1_000

    /// Tells the machines of an account's operations what the files prove. Each asks once more before it believes it.
    ///
    /// - Throws: the first failure, when all others were told: one that cannot be stepped or read holds up none.
    func run(_ account: SettlementAccount) async throws {
        var (candidates, failure) = try await absent(account)
        for absent in candidates {
            guard let last = absent.machine.possibleKeys.last else { continue }
            let (subject, partition) = (absent.machine.subject, absent.partition)
            do {
                _ = try await transactions.step(subject.order, in: partition) { order, time in
                    (order.receive(.operation(subject.operation, .absentInFiles(last)), at: time), ())
                }
            } catch {
                try Task.checkCancellation()
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    /// The operations of an account of which the files prove that the acquirer never did them, and why the first damaged row
    /// cannot be read.
    private func absent(_ account: SettlementAccount) async throws -> ([Candidate], damage: (any Error)?) {
        try await transactions.read { connection in
            let (open, damage) = try await open(account, on: connection)
            let (calendar, tolerance) = (account.source.settlementCalendar, transactions.policy.acquirerTolerance)
            guard let first = open.flatMap(\.machine.possibleKeys).map(\.time).min() else { return ([], damage) }
            let recorded = try await store.recordedDays(
                acquirer: account.acquirer, account: account.account, from: calendar.day(of: first - tolerance),
                on: connection)
            var absent: [Candidate] = []
            for candidate in open {
                let keys = candidate.machine.possibleKeys
                let days = AbsenceProof.days(of: keys.map(\.time), in: calendar, tolerance: tolerance)
                // Most wait for a file: then no row is looked for.
                guard days.allSatisfy(recorded.contains) else { continue }
                let isListed = try await store.isListed(
                    keys.map(\.orderNumber), acquirer: account.acquirer, account: account.account, on: connection)
                let proof = AbsenceProof(days: days, recorded: recorded, isListed: isListed)
                if proof == .absent { absent.append(candidate) }
            }
            return (absent, damage)
        }
    }

    /// Operations without an outcome that the acquirer has not shown, and whose machines were not told so yet. Holds are left
    /// out: of them the files prove nothing (``Subject/filesProveAbsence``).
    ///
    /// What is live has its own subquery: in the order of their times, the server might walk all operations that the account
    /// ever had.
    private func open(_ account: SettlementAccount, on connection: PostgresConnection) async throws -> (
        [Candidate], damage: (any Error)?
    ) {
        var damage: (any Error)?
        let key: [any PostgresEncodable] = [account.acquirer, account.account, Self.limit]
        let charges = try await connection.query(
            """
            SELECT \(OperationRow.columns)
            FROM (SELECT \(OperationRow.columns) FROM gateway.operations WHERE is_live OFFSET 0) AS live
            WHERE phase IN ('submitting', 'unknown') AND NOT is_known_there AND absent_since IS NULL
                AND acquirer = $1 AND account = $2 AND kind = 'sale'
            ORDER BY transaction_time, order_id LIMIT $3
            """, key
        ).reading { row in
            Candidate(
                partition: try row.int32("partition"),
                machine: try OperationRow(row, policy: transactions.policy).machine)
        } damaged: {
            damage = damage ?? $1
        }
        let followUps = try await connection.query(
            """
            SELECT \(FollowUpRow.columns)
            FROM (SELECT \(FollowUpRow.columns), transaction_time FROM gateway.follow_ups WHERE is_live OFFSET 0) AS live
            WHERE phase IN ('submitting', 'unknown') AND NOT is_known_there AND absent_since IS NULL
                AND acquirer = $1 AND account = $2
            ORDER BY transaction_time, order_id LIMIT $3
            """, key
        ).reading { row in
            Candidate(
                partition: try row.int32("partition"),
                machine: try FollowUpRow.read(row, policy: transactions.policy).machine)
        } damaged: {
            damage = damage ?? $1
        }
        return (charges + followUps, damage)
    }
}
