import Charging
import Contracts
import OrchardHTTPTypes
import OrchardPostgres
import OrchardServiceKit
import Outbox
import TestSupport

@testable import Acquirers
@testable import ChargeGateway

/// An acquirer inside the test that has settlement files; what it is sent and asked goes to a scripted one.
final class FileSource: SettlementSource {
    let acquirer: ScriptedAcquirer
    private let files = Locked<[SettlementDate: SettlementAnswer]>([:])
    private let fetched = Locked<[SettlementDate]>([])

    init(_ acquirer: ScriptedAcquirer = ScriptedAcquirer()) { self.acquirer = acquirer }

    var name: String { acquirer.name }
    var settlementCalendar: SettlementCalendar { .unionPay }
    /// The days that were asked for, in their order.
    var asked: [SettlementDate] { fetched.withLock { $0 } }

    func settlesByFile(_ account: String) -> Bool { account == Shop.account }

    /// From now on the day has this answer.
    func answer(_ date: SettlementDate, _ answer: SettlementAnswer) { files.withLock { $0[date] = answer } }

    func fetchSettlement(
        of account: String, on date: SettlementDate, at time: Timestamp
    ) async -> SettlementAnswer {
        fetched.withLock { $0.append(date) }
        return files.withLock { $0[date] } ?? .noFile
    }

    func settlementFile(
        _ content: [UInt8], of account: String, on date: SettlementDate
    ) throws(SettlementFileError) -> SettlementFile {
        try SettlementPackage.read(content, of: account, on: date)
    }

    func send(_ charge: Charge, card: borrowing CardData, at time: Timestamp) async -> SendOutcome {
        await acquirer.send(charge, card: card, at: time)
    }

    func query(_ charge: Charge, at time: Timestamp) async -> QueryOutcome { await acquirer.query(charge, at: time) }

    func notification(_ request: HTTPRequest, at time: Timestamp) throws(NotificationError) -> AcquirerNotification {
        try acquirer.notification(request, at: time)
    }
}

extension TestGateway {
    /// What fetches and records files here.
    var settlement: SettlementFetcher {
        let telemetry = SettlementTelemetry(metrics, logger: logger)
        return SettlementFetcher(
            recorder: SettlementRecorder(
                pool: pool, transactions: transactions, partitions: Shop.partitions, telemetry: telemetry,
                threads: ThreadPool(name: "settlement", threads: 1)),
            telemetry: telemetry)
    }

    func account(_ source: FileSource) -> SettlementAccount {
        SettlementAccount(merchant: Shop.merchant, account: Shop.account, source: source)
    }

    /// A charge whose outcome is not known since then; it is sent no more.
    func strand(_ charge: ChargeRequested, at time: Timestamp, phase: String = "unknown") async throws {
        try await owner.execute(
            """
            UPDATE gateway.operations SET phase = $2, sends = 1, holds_card = false, sealed_card = NULL, sealing_key = NULL,
                ticket_hash = NULL, next_step = NULL, next_at = NULL, signed_at = $3, transaction_time = $3, sent_at = $3,
                open_since = $3, expires_at = $3, is_unknown_told = true
            WHERE order_id = $1
            """, [charge.order, phase, Timestamp(seconds: time.seconds).postgres])
    }

    /// The settled day as the journal names it.
    static func day(_ date: SettlementDate) -> SettlementDay {
        SettlementDay(merchant: Shop.merchant, acquirer: "unionpay", account: Shop.account, date: date)
    }
}

extension SettlementSample {
    /// A file of a day of the test's account.
    init(on date: SettlementDate, _ rows: [Row] = []) {
        self.init(account: Shop.account, day: date.description.filter { $0 != "-" }, rows: rows)
    }
}

extension SettlementSample.Row {
    /// The row of a charge.
    init(_ number: Int, of charge: ChargeRequested, fen: Int = 12_345) {
        self.init(number, orderNumber: charge.payment.description, fen: fen, fee: 74)
    }
}
