import Contracts
import Ledger
import OrchardJSON

extension SettlementDays.Item {
    /// One line of the list.
    var line: String {
        get throws {
            let members = try JSONValue(parsing: report)
            func text(_ name: String) -> String { members[name]?.string ?? "" }
            let matched = members["matched"]?.integer ?? 0
            let remarked = members["remarked"]?.integer ?? 0
            let remarks = remarked > 0 ? "  \(remarked) remarked on" : ""
            let waits = members["waitsFor"]?.string.map { "  waits for \($0)" } ?? ""
            return "\(day.date)  \(day.account)  \(status.rawValue)  owed \(text("owed")) \(text("currency"))  "
                + "\(matched) matched  \(openDifferences) open" + remarks + waits
        }
    }
}

extension SettlementReconciler.Outcome {
    /// A day as `show` prints it.
    var text: String {
        let day = reconciliation
        func sums(_ name: String, _ sums: SettlementSums, fees: Bool) -> String {
            let money =
                "taken \(day.decimal(sums.taken)), returned \(day.decimal(sums.returned))"
                + (fees ? ", fees \(day.decimal(sums.fees)), net \(day.decimal(sums.net))" : "")
            return "  \(name)  \(sums.count) transactions: \(money)"
        }
        var lines = [
            "\(day.day.date)  \(day.day.acquirer) \(day.day.account)  \(day.status.rawValue)"
                + (day.waitsFor.map { ": waits for \($0)" } ?? ""),
            sums("ours   ", day.ours, fees: false), sums("theirs ", day.theirs, fees: true),
        ]
        if let file = day.file { lines.append(sums("file   ", SettlementSums(file.fact), fees: true)) }
        lines.append(
            "  matched \(day.matched), of these \(day.fromDayBefore) of the day before; \(day.inNextDay) of ours in the next "
                + "day's file")
        if day.disputeCount > 0 {
            lines.append("  disputes \(day.disputeCount): \(day.decimal(day.disputes))")
        }
        lines.append(
            "  owed \(day.decimal(day.owed)) \(day.currency); the bank received \(day.decimal(bank.paidOut)) that day, "
                + "outstanding \(day.decimal(bank.outstanding))")
        lines.append("  differences \(day.differences.open) open, \(day.differences.explained) explained")
        lines += day.differences.first.map(\.line)
        if day.remarked > 0 { lines.append("  remarks \(day.remarked)") }
        return (lines + day.remarks.map(\.line)).joined(separator: "\n")
    }
}

extension Remarked {
    fileprivate var line: String {
        let serial = transaction.serial.map { "  serial \($0)" } ?? ""
        return "  \(transaction.kind.rawValue)  \(transaction.amount)  order \(order)  payment \(transaction.payment)"
            + "\(serial)  \(remark)"
    }
}

extension SettlementDifference {
    fileprivate var line: String {
        let what = [
            order.map { "order \($0)" }, payment.map { "payment \($0)" }, orderNumber.map { "number \($0)" },
            serial.map { "serial \($0)" },
        ].compactMap(\.self).joined(separator: "  ")
        let end = explanation.map { "  explained by \($0.by): \($0.reason)" } ?? ""
        return "  \(id)  \(kind.rawValue)  \(amount)  since \(since)  \(what)\(end)"
    }
}
