import Contracts
import Ledger
import OrchardPostgres
import Outbox

/// `order-ledger audit`: proves the books from the books alone.
///
/// Every line counts what it looked at. It recomputes the chain, folds the kept records again with the live code and
/// compares, sums the books, and looks at what guards them.
struct Audit {
    let reader: LedgerReader
    let inbox: Inbox

    func run() async throws -> AuditReport {
        let heads = try await reader.heads()
        let watermarks = try await inbox.watermarks(on: reader.connection)
        var chains: [ChainAudit] = []
        var orders = OrderComparison()
        let partitions = Set(try await reader.partitions()).union(watermarks.keys).sorted()
        for partition in partitions {
            var chain = try await chain(partition)
            try await orders.take(chain.takeBook(), reader)
            chains.append(chain)
        }
        let checks =
            [
                records(chains), gaps(chains), try await losses(), duplicates(heads),
                counts(partitions, heads, watermarks, chains),
                parked(chains), links(partitions, heads, chains), refold(chains),
                try await Guards(connection: reader.connection).check(), try await balance(),
                entries(chains, orphans: try await reader.orphans()),
                AuditCheck(
                    "R2", "REPLAY", "orders folded again from rows",
                    counts:
                        "\(orders.orders) orders, \(orders.payments) payments, \(orders.findings.count) differences",
                    findings: orders.findings), try await CardNumberAudit(connection: reader.connection).check(),
            ]
        return AuditReport(
            command: "audit",
            positions: partitions.map { JournalPosition(partition: $0, offset: watermarks[$0]?.nextOffset ?? 0) },
            checks: checks)
    }

    private func chain(_ partition: Int32) async throws -> ChainAudit {
        var chain = ChainAudit(partition: partition)
        var offsets: ClosedRange<Int64>? = .min ... .max
        while let range = offsets {
            let rows = try await reader.rows(partition, in: range)
            for row in rows { chain.take(row) }
            offsets = range.rest(behind: rows)
        }
        return chain
    }

    private func records(_ chains: [ChainAudit]) -> AuditCheck {
        let total = chains.reduce(0) { $0 + $1.rows }
        func count(_ disposition: JournalRow.Disposition) -> Int64 {
            chains.reduce(0) { $0 + ($1.dispositions[disposition] ?? 0) }
        }
        let (unreadable, refused) = (count(.unreadable), count(.refused))
        return AuditCheck(
            "S1", "SOURCE", "records kept",
            counts: "\(total) rows: \(count(.applied)) applied, \(count(.parked)) had to wait, \(refused) refused, "
                + "\(unreadable) unreadable",
            findings: unreadable + refused == 0
                ? [] : [.init("see table faults, and the dead letters of the journal")], severity: .warned)
    }

    private func gaps(_ chains: [ChainAudit]) -> AuditCheck {
        let gaps = chains.flatMap(\.gaps.gaps)
        let repetitions = chains.flatMap(\.gaps.repetitions)
        return AuditCheck(
            "C1", "COMPLETE", "sequence gaps",
            counts: "\(gaps.count) in \(chains.reduce(0) { $0 + $1.gaps.streams }) streams, "
                + "\(chains.reduce(0) { $0 + $1.gaps.numbered }) numbered records",
            findings: gaps.map {
                .init("stream \($0.stream) lacks \($0.missing.lowerBound)…\($0.missing.upperBound)", at: $0.before)
            }
                + repetitions.map {
                    .init("another fact carries number \($0.number.sequence) of \($0.number.stream)", at: $0.position)
                })
    }

    private func losses() async throws -> AuditCheck {
        let losses: [(partition: Int32, offsets: Range<Int64>)]
        do { losses = try await inbox.losses(on: reader.connection) } catch  where error.isDamage {
            return AuditCheck(
                "C5", "COMPLETE", "facts that left the topic unread", counts: "0 offsets",
                findings: [.init("\(error)")])
        }
        return AuditCheck(
            "C5", "COMPLETE", "facts that left the topic unread",
            counts: "\(losses.reduce(0) { $0 &+ $1.offsets.count }) offsets",
            findings: losses.map {
                .init(
                    "offsets \($0.offsets.lowerBound)…\($0.offsets.upperBound - 1) are lost",
                    at: JournalPosition(partition: $0.partition, offset: $0.offsets.lowerBound))
            })
    }

    private func duplicates(_ heads: [Int32: LedgerReader.Head]) -> AuditCheck {
        AuditCheck(
            "C2", "COMPLETE", "duplicates delivered",
            counts: "\(heads.values.reduce(0) { $0 &+ $1.duplicates }) known and identical, left out")
    }

    private func counts(
        _ partitions: [Int32], _ heads: [Int32: LedgerReader.Head], _ watermarks: [Int32: Watermark],
        _ chains: [ChainAudit]
    ) -> AuditCheck {
        var findings: [AuditCheck.Finding] = []
        for (partition, chain) in zip(partitions, chains) {
            let (head, watermark) = (heads[partition], watermarks[partition])
            let expected = head?.rows ?? 0
            // Numbers that somebody changed may be anything: they wrap instead of stopping the audit.
            let read = (watermark?.count ?? 0) &- (head?.duplicates ?? 0)
            if chain.rows != expected || chain.lastOffset != head?.lastOffset {
                let newest = head?.lastOffset.map { "P\(partition)@\($0)" } ?? "none"
                findings.append(
                    .init(
                        "P\(partition) has \(chain.rows) rows, its head counts \(expected), the newest \(newest)",
                        at: missing(head, chain)))
            }
            if read != expected {
                findings.append(
                    .init("P\(partition)'s watermark counts \(read) records without duplicates, its head \(expected)"))
            }
            if watermark == nil { findings.append(.init("P\(partition) was never started: it has no watermark")) }
            if let last = head?.lastOffset, last >= watermark?.nextOffset ?? 0 {
                findings.append(
                    .init("P\(partition)'s newest row is not below its watermark \(watermark?.nextOffset ?? 0)"))
            }
        }
        return AuditCheck(
            "C3", "COMPLETE", "watermark count = rows",
            counts: "\(heads.values.reduce(0) { $0 &+ $1.rows }) = \(chains.reduce(0) { $0 + $1.rows })",
            findings: findings)
    }

    /// The newest row, when it is the one that is missing.
    private func missing(_ head: LedgerReader.Head?, _ chain: ChainAudit) -> JournalPosition? {
        guard let head, let last = head.lastOffset, last != chain.lastOffset else { return nil }
        return JournalPosition(partition: head.partition, offset: last)
    }

    private func parked(_ chains: [ChainAudit]) -> AuditCheck {
        let waiting = chains.flatMap(\.waiting)
        return AuditCheck(
            "C4", "COMPLETE", "facts that wait for others", counts: "\(waiting.count) now",
            findings: waiting.map { .init("\($0.event.type) of order \($0.fact.order) waits", at: $0.position) },
            severity: .warned)
    }

    private func links(
        _ partitions: [Int32], _ heads: [Int32: LedgerReader.Head], _ chains: [ChainAudit]
    ) -> AuditCheck {
        var findings = chains.flatMap(\.brokenLinks)
        for (partition, chain) in zip(partitions, chains)
        where chain.head != heads[partition]?.hash ?? HashChain.genesis {
            let last = heads[partition]?.lastOffset ?? chain.lastOffset ?? 0
            findings.append(
                .init(
                    "the chain does not end in the stored head: the newest row was removed or changed",
                    at: JournalPosition(partition: partition, offset: last)))
        }
        return AuditCheck(
            "T1", "TAMPER", "hash chain",
            counts: "\(chains.count) partitions, \(chains.reduce(0) { $0 + $1.rows }) links, heads equal",
            findings: findings)
    }

    private func refold(_ chains: [ChainAudit]) -> AuditCheck {
        let findings = chains.flatMap(\.differences)
        return AuditCheck(
            "T2", "TAMPER", "rows = their records folded again",
            counts: "\(chains.reduce(0) { $0 + $1.rows }) rows, \(findings.count) differences", findings: findings)
    }

    private func balance() async throws -> AuditCheck {
        let balance: TrialBalance
        do { balance = try await reader.trialBalance() } catch  where error.isDamage {
            return AuditCheck(
                "B1", "BALANCE", "trial balance", counts: "0 currencies", findings: [.init("\(error)")])
        }
        let totals = balance.totals.map { total in
            let debit = Money(minorUnits: total.debit, currency: total.currency).decimal
            let credit = Money(minorUnits: total.credit, currency: total.currency).decimal
            return "\(total.currency) debit \(debit) = credit \(credit)"
        }
        return AuditCheck(
            "B1", "BALANCE", "trial balance", counts: totals.isEmpty ? "no entries" : totals.joined(separator: " | "),
            findings: balance.totals.filter { !$0.isBalanced }.map { .init("\($0.currency) does not balance") })
    }

    private func entries(_ chains: [ChainAudit], orphans: [AuditCheck.Finding]) -> AuditCheck {
        let unbalanced = chains.flatMap(\.unbalanced)
        let total = chains.reduce(0) { $0 + $1.entries }
        return AuditCheck(
            "B2", "BALANCE", "every entry balanced", counts: "\(total - Int64(unbalanced.count)) of \(total)",
            findings: unbalanced + orphans)
    }
}
