import Contracts
import Ledger

extension RowChecks {
    /// The trial balance of the stored lines. It must equal what the facts post by the rules of each row.
    var balance: AuditCheck {
        var (stored, posted) = (BookSums(), BookSums())
        for partition in partitions {
            stored.add(partition.lines)
            posted.add(partition.chain.posted)
        }
        let differing = stored.differing(from: posted).map {
            AuditCheck.Finding("the lines of \($0.account) in \($0.currency) are not what the facts post")
        }
        guard let balance = stored.trialBalance else {
            let finding = AuditCheck.Finding("sums that exceed 64 bits, or lines in an unknown currency")
            return AuditCheck(
                "B1", "BALANCE", "trial balance", counts: "0 currencies", findings: [finding] + differing)
        }
        let totals = balance.totals.map { total in
            let debit = Money(minorUnits: total.debit, currency: total.currency).decimal
            let credit = Money(minorUnits: total.credit, currency: total.currency).decimal
            return "\(total.currency) debit \(debit) = credit \(credit)"
        }
        return AuditCheck(
            "B1", "BALANCE", "trial balance", counts: totals.isEmpty ? "no entries" : totals.joined(separator: " | "),
            findings: balance.totals.filter { !$0.isBalanced }.map { .init("\($0.currency) does not balance") }
                + differing)
    }

    /// What acquirers and banks tell.
    var settlement: [AuditCheck] {
        let settlement = SettlementAudit(joining: partitions.map(\.chain.settlement))
        return settlement.checks
    }

    var entries: AuditCheck {
        let unbalanced = FindingList.joined(partitions.map(\.chain.unbalanced))
        let total = partitions.reduce(0) { $0 + $1.chain.entries }
        return AuditCheck(
            "B2", "BALANCE", "every entry balanced", counts: "\(total - Int64(unbalanced.count)) of \(total)",
            findings: unbalanced + .joined(partitions.map(\.orphans)))
    }

    private var amounts: [AmountAudit] { partitions.map(\.orders.amounts) }

    var captures: AuditCheck {
        AuditCheck(
            "B3", "BALANCE", "captured up to 115 % of the hold", counts: "\(amounts.reduce(0) { $0 + $1.holds }) holds",
            findings: .joined(amounts.map(\.captures)))
    }

    var refunds: AuditCheck {
        AuditCheck(
            "B4", "BALANCE", "refunded up to what was taken",
            counts: "\(amounts.reduce(0) { $0 + $1.charged }) payments with money",
            findings: .joined(amounts.map(\.refunds)))
    }

    /// Every hold of the books is an authorisation that was not captured, voided or expired.
    var holds: AuditCheck {
        AuditCheck(
            "B5", "BALANCE", "holds = open authorisations",
            counts: "\(amounts.reduce(0) { $0 + $1.openHolds }) of \(amounts.reduce(0) { $0 + $1.holds }) holds open",
            findings: .joined(partitions.map { $0.orders.amounts.differences(from: $0.lines) }))
    }
}
