import Contracts
import Ledger
import OrchardPostgres
import Outbox

/// Compares the stored report of each settled day with what the books say now: several days at once, each in a snapshot
/// of its own.
///
/// Reports are made from the books and can be made again: a difference books nothing. But people believe them.
struct SettledDayCheck: Sendable {
    let connections: LedgerConnections
    /// The days whose file is in the books, and when it was told.
    let files: [SettlementDay: Timestamp]
    let now: Timestamp

    /// Within this time the service makes the first report of a day.
    private static let firstReport = Duration.seconds(3_600)

    func check() async throws -> AuditCheck {
        var (reports, isDamaged) = (0, false)
        var findings = FindingList()
        var missing = files
        var last: SettlementDays.Name?
        repeat {
            let page: [SettlementDays.Name]
            do {
                page = try await SettlementDays(connection: connections.first.connection).names(behind: last)
            } catch  where error.isDamage {
                findings.append(.init("the rows behind \(last?.date ?? "the beginning") cannot be read: \(error)"))
                isDamaged = true
                break
            }
            let found = try await connections.map(page) { name, _, reader in
                try await Self.finding(name, on: reader.connection)
            }
            for (name, finding) in zip(page, found) {
                reports += 1
                if let day = name.day { missing[day] = nil }
                guard let finding else { continue }
                findings.append(.init("\(name.date) \(name.acquirer) \(name.account): \(finding.text)"))
                isDamaged = isDamaged || finding.isDamage
            }
            last = page.count == Int(SettlementDays.limit) ? page.last : nil
        } while last != nil
        findings.append(FindingList(unreported(missing)))
        return AuditCheck(
            "X3", "OUTSIDE", "reports of settled days = books",
            counts: "\(reports) reports, \(findings.count) differences", findings: findings,
            severity: isDamaged ? .failed : .warned)
    }

    private static func finding(
        _ name: SettlementDays.Name, on connection: PostgresConnection
    ) async throws -> (text: String, isDamage: Bool)? {
        guard let day = name.day else { return ("the row is of no day", true) }
        do {
            return try await connection.transaction(.snapshot) { connection in
                guard let stored = try await SettlementDays(connection: connection).item(day) else { return nil }
                return try await finding(stored, SettlementReader(connection: connection, day: day))
            }
        } catch  where error.isDamage {
            return ("the row or its day cannot be read: \(error)", true)
        }
    }

    private static func finding(
        _ stored: SettlementDays.Item, _ reader: SettlementReader
    ) async throws -> (text: String, isDamage: Bool)? {
        guard let outcome = try await SettlementReconciler.outcome(reader, at: stored.checkedAt) else {
            return ("there is a report, and nothing in the books", true)
        }
        let (day, differences) = (outcome.reconciliation, outcome.reconciliation.differences)
        guard
            stored.report != outcome.report || stored.status != day.status
                || stored.openDifferences != differences.open || stored.oldest != differences.oldest
        else { return nil }
        let text =
            "the row says \(stored.status.rawValue) with \(stored.openDifferences) open differences, the books "
            + "\(day.status.rawValue) with \(differences.open)"
        guard try await reader.isUnchanged(since: stored.checkedAt) else {
            return ("\(text): facts have come since; `order-ledger settle show \(day.day.date)` makes it anew", false)
        }
        return ("\(text), or another report: it was changed", true)
    }

    /// Days with a file and without a report, which the service has made for the last weeks.
    private func unreported(_ days: [SettlementDay: Timestamp]) -> [AuditCheck.Finding] {
        days.filter { $0.value + Self.firstReport < now }.keys
            .sorted { ($0.date, $0.account) < ($1.date, $1.account) }
            .map {
                .init(
                    "\($0.date) \($0.acquirer) \($0.account): there is a file and no report; `order-ledger settle list "
                        + "--date \($0.date)` makes one")
            }
    }
}
