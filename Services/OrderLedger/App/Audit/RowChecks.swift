import Contracts
import Ledger
import Outbox

/// The checks that follow from the rows of all partitions. Each row was read once.
struct RowChecks {
    let partitions: [PartitionAudit]
    let now: Timestamp

    private var chains: [ChainAudit] { partitions.map(\.chain) }
    private var rows: Int64 { chains.reduce(0) { $0 + $1.rows } }

    var all: [AuditCheck] {
        var unapplied = UnappliedFacts()
        for chain in chains { unapplied.append(chain.unapplied) }
        return [records, gaps, duplicates, counts, links, refolded, balance, entries, captures, refunds, holds, orders]
            + AuditCheck.unapplied(unapplied, waiting: chains.map(\.refold.waiting), at: now)
            + settlement
    }

    private var records: AuditCheck {
        func count(_ disposition: JournalRow.Disposition) -> Int64 {
            chains.reduce(0) { $0 + ($1.dispositions[disposition] ?? 0) }
        }
        return AuditCheck(
            "S1", "SOURCE", "records kept",
            counts: "\(rows) rows: \(count(.applied)) applied, \(count(.parked)) had to wait, "
                + "\(count(.refused)) refused, \(count(.unreadable)) unreadable")
    }

    private var gaps: AuditCheck {
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

    private var duplicates: AuditCheck {
        AuditCheck(
            "C2", "COMPLETE", "duplicates delivered",
            counts: "\(partitions.reduce(0) { $0 &+ ($1.start.head?.duplicates ?? 0) }) known and identical, left out")
    }

    private var counts: AuditCheck {
        AuditCheck(
            "C3", "COMPLETE", "watermark count = rows",
            counts: "\(partitions.reduce(0) { $0 &+ ($1.start.head?.rows ?? 0) }) = \(rows)",
            findings: .joined(partitions.map { Self.counts($0.start, $0.chain) }))
    }

    private static func counts(_ start: AuditStart.Partition, _ chain: ChainAudit) -> FindingList {
        let (head, watermark, name) = (start.head, start.watermark, "P\(start.number)")
        var findings = start.strays
        let expected = head?.rows ?? 0
        // Manipulated numbers may have any value: they wrap and do not stop the audit.
        let read = (watermark?.count ?? 0) &- (head?.duplicates ?? 0)
        if chain.rows != expected || chain.lastOffset != head?.lastOffset {
            let newest = head?.lastOffset.map { "\(name)@\($0)" } ?? "none"
            findings.append(
                .init(
                    "\(name) has \(chain.rows) rows, its head counts \(expected), the newest \(newest)",
                    at: missing(head, chain)))
        }
        if read != expected {
            findings.append(
                .init("\(name)'s watermark counts \(read) records without duplicates, its head \(expected)"))
        }
        if watermark == nil { findings.append(.init("\(name) was never started: it has no watermark")) }
        if let last = head?.lastOffset, last >= watermark?.nextOffset ?? 0 {
            findings.append(
                .init("\(name)'s newest row is not below its watermark \(watermark?.nextOffset ?? 0)"))
        }
        return findings
    }

    /// The newest row, if that is the missing one.
    private static func missing(_ head: LedgerReader.Head?, _ chain: ChainAudit) -> JournalPosition? {
        guard let head, let last = head.lastOffset, last != chain.lastOffset else { return nil }
        return JournalPosition(partition: head.partition, offset: last)
    }

    private var links: AuditCheck {
        var findings = FindingList.joined(chains.map(\.brokenLinks))
        for partition in partitions where partition.chain.head != partition.start.head?.hash ?? HashChain.genesis {
            let last = partition.start.head?.lastOffset ?? partition.chain.lastOffset ?? 0
            findings.append(
                .init(
                    "the chain does not end in the stored head: the newest row was removed or changed",
                    at: JournalPosition(partition: partition.start.number, offset: last)))
        }
        return AuditCheck(
            "T1", "TAMPER", "hash chain", counts: "\(chains.count) partitions, \(rows) links, heads equal",
            findings: findings)
    }

    private var refolded: AuditCheck {
        let findings = FindingList.joined(chains.map(\.differences))
        return AuditCheck(
            "T2", "TAMPER", "rows = their records folded again", counts: "\(rows) rows, \(findings.count) differences",
            findings: findings)
    }

    private var orders: AuditCheck {
        .orders("orders folded again from rows", partitions.map(\.orders))
    }
}

extension AuditCheck {
    /// The check of the order tables, for audit and replay.
    static func orders(_ title: String, _ comparisons: [OrderComparison]) -> AuditCheck {
        let findings = FindingList.joined(comparisons.map(\.findings))
        return AuditCheck(
            "R2", "REPLAY", title,
            counts: "\(comparisons.reduce(0) { $0 + $1.orders }) orders, "
                + "\(comparisons.reduce(0) { $0 + $1.payments }) payments, \(findings.count) differences",
            findings: findings)
    }
}
