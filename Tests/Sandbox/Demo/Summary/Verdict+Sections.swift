import Contracts

extension Verdict {
    /// Payments by scenario and outcome.
    func outcomes() -> [String] {
        var counts: [String: Int] = [:]
        for result in results {
            let outcomes = result.published.isEmpty ? ["not paid"] : result.published.map(\.description)
            for outcome in outcomes {
                counts["\(result.played.script.scenario.title)\u{0}\(outcome)", default: 0] += 1
            }
        }
        var table = Table(numbers: [0])
        for scenario in Scenario.allCases {
            for (key, count) in counts.sorted(by: { $0.key < $1.key })
            where key.hasPrefix(scenario.title + "\u{0}") {
                table.add("\(count)", scenario.title, String(key.dropFirst(scenario.title.count + 1)))
            }
        }
        let charged = results.flatMap(\.published).count { $0.charged > 0 }
        table.add("\(results.flatMap(\.published).count)", "payments of \(results.count) orders", "\(charged) charged")
        return table.lines
    }

    func trialBalance(_ lines: [TrialBalanceLine]) -> [String] {
        var table = Table(numbers: [1, 2])
        for line in lines {
            table.add(line.account, amount(line.debit, line), amount(line.credit, line), line.currency.code)
        }
        for (currency, lines) in Dictionary(grouping: lines, by: \.currency).sorted(by: { $0.key.code < $1.key.code }) {
            let (debit, credit) = lines.reduce((0, 0)) { ($0.0 + $1.debit, $0.1 + $1.credit) }
            table.add(
                "total", Money(minorUnits: debit, currency: currency).decimal,
                Money(minorUnits: credit, currency: currency).decimal, currency.code)
        }
        return table.lines
    }

    private func amount(_ units: Int64, _ line: TrialBalanceLine) -> String {
        units == 0 ? "" : Money(minorUnits: units, currency: line.currency).decimal
    }

    /// The charges in each book, and what the shops have of them after captures, refunds and voids.
    func booksLine(_ books: Books) -> [String] {
        var table = Table(numbers: [1, 2, 3])
        let ledger = books.entries.values.map { $0["assets:acquirer-receivable", default: 0] }
        let kept: [String: [Int64]] = [
            "acquirer's own book": Array(books.acquirerKept.values), "gateway": Array(books.gatewayKept.values),
            "ledger": ledger,
        ]
        for (name, book) in [
            ("outcomes on devices", books.device), ("acquirer's own book", books.acquirer), ("gateway", books.gateway),
            ("ledger", books.ledger),
        ] {
            let charged = book.filter { $0.outcome.charged > 0 }
            let sum = charged.reduce(0) { $0 + $1.outcome.charged }
            table.add(
                name, "\(charged.count) charged", Money(minorUnits: sum, currency: .cny).description,
                kept[name].map { "\(Money(minorUnits: $0.reduce(0, +), currency: .cny)) in the end" } ?? "")
        }
        let sales = books.file.filter { $0.kind == "01" }
        table.add(
            "settlement files", "\(sales.count) charged",
            Money(minorUnits: sales.reduce(0) { $0 + $1.amount }, currency: .cny).description,
            "\(Money(minorUnits: books.file.reduce(0) { $0 + $1.change }, currency: .cny)) in the end")
        return table.lines
    }

    /// The acquirer's days, as the ledger reconciled them.
    func settlement() -> [String] {
        var table = Table(numbers: [3, 4, 5, 6, 7, 8])
        table.add("day", "account", "", "rows", "taken", "returned", "fees", "owed", "paid by the bank")
        for day in night.days {
            table.add(
                "\(day.date)", day.account, day.status, "\(day.rows)", day.taken, day.returned, day.fees, day.owed,
                day.paidOut)
        }
        return table.lines
    }

    func latencies() -> [String] {
        let fast: Set<Scenario> = [.charged, .repriced, .oldTicket, .duplicateToken]
        var table = Table(numbers: [1, 2, 3, 4])
        table.add("", "payments", "p50", "p95", "max")
        let rows: [(String, (Scenario) -> Bool)] = [
            ("token sent → paid", { fast.contains($0) }), ("answer lost, notified", { $0 == .lostAnswer }),
            ("found by the query at 3 s", \.isFoundByQuery),
        ]
        for (name, isMeant) in rows {
            let latencies = Latencies(results.filter { isMeant($0.played.script.scenario) }.map(\.latency))
            table.add(
                name, "\(latencies.count)", latencies.percentile(0.5).text, latencies.percentile(0.95).text,
                latencies.percentile(1).text)
        }
        return table.lines
    }
}
