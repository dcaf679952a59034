import Acquirers
import Charging
import Contracts
import OrchardPostgres
import OrchardServiceKit
import Outbox

/// Brings an account's file of a day from the acquirer to the recorder.
struct SettlementFetcher: Sendable {
    let recorder: SettlementRecorder
    let telemetry: SettlementTelemetry

    /// What came of a day.
    enum Result: Sendable {
        case taken(SettlementRecorder.Result)
        case noFile
        case failed(reason: String)
    }

    /// Fetches a day's file, also when one was recorded: the acquirer must not have changed its word.
    func fetch(_ account: SettlementAccount, _ date: SettlementDate) async throws -> Result {
        let day = account.day(date)
        let time = try await now()
        guard account.source.settlementCalendar.end(of: date) <= time else {
            return failed("the day is not over", of: day)
        }
        switch await account.source.fetchSettlement(of: account.account, on: date, at: time) {
        case .file(let content): return .taken(try await recorder.record(content, of: day, from: account.source))
        case .noFile:
            telemetry.report(.noFile, "the acquirer has none yet", of: day)
            return .noFile
        case .failed(let reason), .misconfigured(let reason): return failed(reason, of: day)
        }
    }

    /// Goes on with a file that was taken and not recorded to its end; nil when there is none.
    func resume(_ account: SettlementAccount, _ date: SettlementDate) async throws -> Result? {
        let (day, store) = (account.day(date), recorder.store)
        let content = try await recorder.pool.withConnection { connection -> [UInt8]? in
            guard let stored = try await store.file(of: day, on: connection), !stored.isComplete else { return nil }
            return try await store.content(of: day, on: connection)
        }
        guard let content else { return nil }
        return .taken(try await recorder.record(content, of: day, from: account.source))
    }

    /// The database's time.
    func now() async throws -> Timestamp {
        let rows = try await recorder.pool.withConnection { try await $0.query("SELECT clock_timestamp() AS now") }
        guard let now = try rows.first?.time("now") else {
            throw StoreError(.malformed, at: "clock_timestamp", "the database does not tell the time")
        }
        return now
    }

    private func failed(_ reason: String, of day: SettlementDay) -> Result {
        telemetry.report(.failed, reason, of: day)
        return .failed(reason: reason)
    }
}
