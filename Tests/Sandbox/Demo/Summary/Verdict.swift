import Contracts
import Foundation
import KafkaBridge
import OrchardHTTPClient
import OrchardJSON
import OrchardPostgres
import OrchardServiceKit
import SandboxDatabase
import SandboxProcesses

/// Reads everything that the run has produced, compares it with the script and writes the report.
struct Verdict {
    let environment: DemoEnvironment
    let client: HTTPClient
    let inbox: ShopInbox
    let script: DemoScript
    let results: [OrderPlay.Result]
    let failures: [Finding]
    let night: Night.Outcome
    let chaos: ChaosCheck
    /// The folder of the outside HTTP probe, when the run has the independent simulators.
    let oracles: Oracles?

    private var isChaos: Bool { chaos.isChaos }

    func report() async throws -> Report {
        let ledger = try await connect("ledger")
        let gateway = try await connect("gateway")
        let (books, judged) = try await settledBooks(ledger, gateway)
        var findings = failures + night.findings + judged
        findings += try await doubleCharges()
        let webhooks = try await shopMessages(books)
        findings += try await webhooks.findings + (isChaos ? [] : idleLedgers())
        let metrics = try await MetricsCheck(
            environment: environment, client: client, results: results,
            notifiedAddresses: try await AcquirerBook(client: client, address: environment.acquirerAddress)
                .notifiedAddresses(),
            settled: books.file.count + night.days.count { $0.owedMinorUnits != 0 }
        ).findings()
        // The counters of a killed process are lost.
        if !isChaos { findings += metrics.findings }
        findings += chaos.findings
        let exhibit = try await exhibit(ledger)
        findings += exhibit.filter { !$0.isRight }.map { Finding(book: "audit", text: "\($0.what): \($0.verdict)") }
        var probe: ProbeCheck.Outcome?
        if let oracles { probe = try await ProbeCheck(environment: environment, oracles: oracles).run() }
        findings += probe?.findings ?? []
        let search = try await search(ledger, gateway)
        findings += search.findings
        let heldCards = try await GatewayBook(connection: gateway).heldCards()
        if heldCards > 0 {
            findings.append(Finding(book: "gateway", text: "\(heldCards) ended payments hold card data"))
        }
        let balance = try await LedgerBook(connection: ledger).trialBalance()
        findings += unbalanced(balance)
        await ledger.close()
        await gateway.close()
        let secrets =
            "  \(search.scan.count) card numbers, cryptograms, names, phones and addresses searched for in "
            + "\(search.places.joined(separator: ", ")) (\(search.scan.scannedBytes / 1_000_000) MB): "
            + "\(search.scan.findings.count) found"
        return Report(
            details: [
                ("PAYMENTS  what was played, and the outcome on the device", outcomes()),
                ("LATENCIES  from sending a token to the outcome on the device", latencies()),
                isChaos
                    ? ("KILLS  by SIGKILL, and what was in progress", chaos.lines)
                    : ("METRICS  the services' counters against the script", metrics.lines),
            ],
            summary: [
                ("HTTP PROBE  malformed and hostile requests to each service", probe?.lines ?? []),
                ("TRIAL BALANCE  debits and credits of each account in the ledger", trialBalance(balance)),
                ("WEBHOOKS  what the shops were told", webhooks.lines),
                ("SECRETS  data that must be nowhere in the clear", [secrets]),
                ("SETTLEMENT  the acquirer's days, reconciled by the ledger with the acquirer's files", settlement()),
                (
                    "AUDIT AND REPLAY  the ledger proves its entries, and finds rows that were changed in the database",
                    exhibit.map { "  \($0.isRight ? "ok  " : "FAIL") \($0.what): \($0.verdict)" }
                ),
                (
                    "BOOKS  the day in five books: what was charged, and what the shops have after refunds",
                    booksLine(books)
                ),
            ], findings: findings)
    }

    private func connect(_ database: String) async throws -> PostgresConnection {
        try await PostgresConnection.connect(PostgresConfiguration(connectionString: environment.superuser(database)))
    }

    /// The books once the ledger has read all facts and the acquirer's last notification was accepted: devices get
    /// outcomes a moment before.
    private func settledBooks(
        _ ledger: PostgresConnection, _ gateway: PostgresConnection
    ) async throws -> (Books, [Finding]) {
        var read: (books: Books, findings: [Finding]) = (Books(), [])
        for _ in 0..<100 {
            read = try await check(ledger, gateway)
            if read.findings.isEmpty { break }
            try await Task.sleep(for: .milliseconds(100))
        }
        return read
    }

    private func check(
        _ ledger: PostgresConnection, _ gateway: PostgresConnection
    ) async throws -> (books: Books, findings: [Finding]) {
        let acquirer = AcquirerBook(client: client, address: environment.acquirerAddress)
        let (sales, followUps) = (try await acquirer.sales(), try await acquirer.followUps())
        let books = try await read(ledger, gateway, sales)
        let plot = ScenarioCheck(
            scenes: results, sales: sales, followUps: followUps, gateways: environment.gateways.map(\.address),
            isChaos: isChaos,
            stormFaults: chaos.storm == nil ? [] : Set(StormOptions.faults.keys))
        return (books, BookComparison(played: results.map(\.played), books: books).findings() + plot.findings)
    }

    private func read(
        _ ledger: PostgresConnection, _ gateway: PostgresConnection, _ sales: [AcquirerSale]
    ) async throws -> Books {
        var books = Books()
        books.device = results.flatMap { result in
            zip(result.played.payments, result.published).map {
                BookedPayment(order: result.played.order, payment: $0, outcome: $1)
            }
        }
        books.acquirer = sales.map(\.booked)
        books.acquirerKept = try await AcquirerBook(client: client, address: environment.acquirerAddress).kept()
        let gatewayBook = GatewayBook(connection: gateway)
        books.gateway = try await gatewayBook.payments(
            published: try await GatewayFacts.read(
                partitions: environment.kafka.partitions, kafka: environment.kafka.configuration,
                logger: Logger(label: "demo.journal")))
        books.gatewayOrders = try await gatewayBook.orders()
        books.gatewayKept = try await gatewayBook.kept()
        let ledgerBook = LedgerBook(connection: ledger)
        books.ledger = try await ledgerBook.payments()
        books.ledgerOrders = try await ledgerBook.orders()
        books.entries = try await ledgerBook.entries()
        books.rejectedCommands = try await ledgerBook.rejectedCommands()
        books.settled = try await ledgerBook.settled()
        books.file = try await SettlementFileBook(connection: gateway).transactions()
        return books
    }

    /// What the shops were told, once they were told everything: a message that was refused comes again after 5 s, and
    /// one that a killed order-ledger had after a minute.
    private func shopMessages(_ books: Books) async throws -> WebhookCheck {
        var check: WebhookCheck
        let end = ContinuousClock.now + .seconds(isChaos ? 150 : 30)
        repeat {
            let (messages, refusals) = inbox.contents
            check = WebhookCheck(
                results: results, orders: books.ledgerOrders, messages: messages, refusals: refusals)
            if check.findings.isEmpty { break }
            try await Task.sleep(for: .milliseconds(200))
        } while ContinuousClock.now < end
        return check
    }

    /// Both order-ledgers deliver.
    private func idleLedgers() async throws -> [Finding] {
        var findings: [Finding] = []
        for worker in environment.ledgers {
            let page = try await MetricsPage.read([worker.admin], client)
            if page.total("order_ledger_webhooks_total", ["outcome": "delivered"]) == 0 {
                findings.append(Finding(book: "webhooks", text: "\(worker.name) has delivered none"))
            }
        }
        return findings
    }

    private func doubleCharges() async throws -> [Finding] {
        let doubled = try await AcquirerBook(client: client, address: environment.acquirerAddress).doubleCharges()
        let groups = (doubled.members ?? []).filter { !($0.value.members ?? []).isEmpty }
        return groups.isEmpty ? [] : [Finding(book: "acquirer", text: "charged more than once: \(doubled)")]
    }

    private func exhibit(_ superuser: PostgresConnection) async throws -> [AuditExhibit.Line] {
        try await AuditExhibit(superuser: superuser) { command in
            try await ProgramRun.demo(
                environment.programs.appending(path: "order-ledger"), [command],
                environment: environment.ledgerEnvironment)
        }.show()
    }

    private func search(
        _ ledger: PostgresConnection, _ gateway: PostgresConnection
    ) async throws -> SecretSearch {
        let paid = results.first { $0.published.contains(where: \.isPaid) }
        var search = SecretSearch(
            secrets: results.flatMap(\.secrets), marker: paid?.played.order.description ?? "no order was paid")
        try await search.search(
            topics: Topic.all.map(\.name), partitions: environment.kafka.partitions,
            kafka: environment.kafka.configuration,
            logger: Logger(label: "demo.scan"))
        try await search.search(database: "ledger", ledger)
        try await search.search(database: "gateway", gateway)
        var pages: [(worker: String, text: String)] = []
        for worker in environment.ingests + environment.gateways + environment.ledgers {
            pages.append((worker.name, try await MetricsPage.text(worker.admin, client)))
        }
        search.search(metrics: pages)
        try search.search(files: environment.workspace.folder, and: environment.cluster.log)
        return search
    }

    private func unbalanced(_ lines: [TrialBalanceLine]) -> [Finding] {
        Dictionary(grouping: lines, by: \.currency).compactMap { currency, lines in
            let difference = lines.reduce(0) { $0 + $1.debit - $1.credit }
            return difference == 0
                ? nil : Finding(book: "ledger", text: "\(currency) does not balance: \(difference) minor units")
        }
    }
}
