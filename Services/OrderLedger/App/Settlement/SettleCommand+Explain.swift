import Contracts
import Foundation
import KeyFiles
import Ledger
import OrchardPostgres
import OrchardServiceKit

extension SettleCommand {
    static let explain = Command(
        name: "explain", summary: "explain a difference, which ends it",
        discussion: """
            Writes difference.explained, a fact with the reason and who gives it: the journal keeps it for ever. It ends the \
            difference as it is now; when its kind or amount changes, it is open again. Exit status 1 when no day of the \
            last \(SettlementMonitor.days) days has such an open difference.
            """,
        arguments: [.init("ID", help: "The difference's id, as show prints it.")],
        options: [
            .value("reason", "TEXT", help: "What it is: at most \(Resolution.maximumReason) bytes."),
            .value("by", "NAME", help: "Who says so: at most \(Resolution.maximumName) bytes."),
            .value("date", "DATE", help: "The day that has it, when it is an older one."),
        ], configuration: keys,
        examples: [
            .init(
                #"order-ledger settle explain 0d6c… --reason "paid with the day after" --by li.wei"#,
                "what the acquirer's hotline said")
        ]
    ) { invocation in
        guard let id = DifferenceID(given: invocation.arguments[0]) else {
            throw UsageError("ID is 32 lower-case hex digits, with or without the hyphens of a UUID")
        }
        let (reason, by) = (try invocation.required("reason"), try invocation.required("by"))
        guard Resolution(.paid, reason: reason, by: by) != nil else {
            throw UsageError("--reason and --by are plain text of at most 200 and 64 bytes")
        }
        let date: SettlementDate? = if let text = invocation.values("date").last { try Self.date(text) } else { nil }
        return try await SettleConfiguration.with(invocation) { configuration, connection in
            let explanations = Explanations(
                connection: connection,
                publisher: SettlementPublisher(connection: connection, partitions: configuration.partitions))
            guard let difference = try await explanations.find(id, on: date, of: configuration.accounts(nil), at: .now)
            else {
                FileHandle.standardError.write(Data("order-ledger: no open difference has the id \(id)\n".utf8))
                return 1
            }
            try await explanations.explain(difference, reason: reason, by: by, at: .now)
            print(
                "\(difference.difference.kind.rawValue) of \(difference.difference.amount) on \(difference.day.date) is "
                    + "explained when serve has published and read it")
            return 0
        }
    }
}

/// Finds open differences, and explains them by a fact.
struct Explanations {
    let connection: PostgresConnection
    let publisher: SettlementPublisher

    /// A difference of a day.
    struct Found {
        let day: SettlementDay
        let difference: SettlementDifference
    }

    /// An open difference, reconciled now: an explanation is about what is there.
    ///
    /// - Parameter date: the day that has it; nil: a day of the last weeks that is not reconciled.
    func find(
        _ id: DifferenceID, on date: SettlementDate?, of accounts: [SettlementAccounts.Account], at now: Timestamp
    ) async throws -> Found? {
        let today = SettlementCalendar.unionPay.day(of: now)
        let dates = date.map { [$0] } ?? (0...SettlementMonitor.days).map { today.adding(days: -$0) }
        for account in accounts {
            for date in dates {
                let day = account.day(date)
                let outcome = try await SettlementReconciler(connection: connection).reconcile(day, at: now)
                let found = outcome?.reconciliation.differences.first.first {
                    $0.id == id && $0.explanation == nil
                }
                if let found { return Found(day: day, difference: found) }
            }
        }
        return nil
    }

    /// Writes the explanation into the outbox, unless it waits there already.
    func explain(_ found: Found, reason: String, by: String, at now: Timestamp) async throws {
        let explained = DifferenceExplained(
            day: found.day, difference: found.difference.id, kind: found.difference.kind,
            amount: found.difference.amount, reason: reason, by: by)
        guard let explained else { throw UsageError("--reason and --by are plain text") }
        let fact = Fact.differenceExplained(explained)
        guard try await publisher.known([fact]).isEmpty else { return }
        try await publisher.publish([fact], at: now)
    }
}
