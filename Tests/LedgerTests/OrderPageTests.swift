import Contracts
import Foundation
import LedgerFixtures
import Testing

@testable import Ledger

/// The order in docs/order.md: its facts as they are in the journal, and what they post.
@Suite("docs/order.md")
struct OrderPageTests {
    private static let page = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../docs/order.md").standardizedFileURL

    @Test("shows the result of folding these facts (Tests/record order writes it again)")
    func page() throws {
        let text = try Self.text()
        if ProcessInfo.processInfo.environment["ORCHARD_RECORD"] == "order" {
            try Data(text.utf8).write(to: Self.page)
        }
        #expect(try String(contentsOf: Self.page, encoding: .utf8) == text)
    }

    private static func text() throws -> String {
        let (history, first) = (History(), try Shop.totals())
        let second = try Shop.totals(shipping: 1_500)
        let part = Money(minorUnits: 4_000, currency: .cny)
        let facts =
            [history.offer(1, first), history.offer(2, second)]
            + history.payment(Shop.paymentID(1), revision: 2, amount: second.amount, .accepted, .unknown, .declined)
            + history.payment(Shop.paymentID(2), revision: 2, amount: second.amount, .accepted, .succeeded)
            + [history.fact(Shop.paymentID(1), transition: 4, revision: 2, amount: second.amount, .lateSuccess)]
            + history.followUps(.refund, nil, amount: second.amount, .accepted, .succeeded)
            + history.followUps(.refund, of: Shop.paymentID(2), amount: part, .accepted, .succeeded)
        var book = PartitionBook(partition: Shop.partition)
        var text = """
            # The way of an order

            Written by `Tests/record order`: what the ledger makes of the facts of one order. The customer chooses another shipping method. The
            first card is declined after the acquirer was silent for a while. The second card pays. Then the acquirer takes the money of the first
            payment after all: that is owed back, and refunded by itself. At last the shop refunds a part of the order.

            Amounts in facts are minor units (fen). Debits are positive, credits negative; each entry sums to zero. Identifiers are shortened.


            """
        for (fact, record) in zip(facts, facts.records(partition: Shop.partition)) {
            guard let row = book.append(record) else { continue }
            text += "## Offset \(record.position.offset): `\(fact.type)`\n\n```json\n\(shortened(fact.json))\n```\n\n"
            for entry in row.entries {
                text += "| account | debit | credit |\n|---|---:|---:|\n"
                for posting in entry.postings {
                    let amount = Money(minorUnits: abs(posting.amount), currency: entry.currency).decimal
                    text += "| `\(posting.account.rawValue)` | \(posting.amount > 0 ? amount : "") "
                    text += "| \(posting.amount < 0 ? amount : "") |\n"
                }
                text += "\n"
            }
            if let order = book.fold.orders[Shop.order] {
                let payments = order.payments.map(\.status.rawValue)
                text += "Order \(order.status?.rawValue ?? "unknown")"
                text += payments.isEmpty ? ".\n\n" : "; payments: \(payments.joined(separator: ", ")).\n\n"
            }
        }
        return text.trimmingCharacters(in: .newlines) + "\n"
    }

    /// Identifiers and hashes with their first eight digits.
    private static func shortened(_ json: [UInt8]) -> String {
        String(decoding: json, as: UTF8.self).replacing(#/"([0-9a-f]{8})[0-9a-f]{24,}"/#) { "\"\($0.output.1)…\"" }
            .replacing(",\"", with: ",\n \"")
    }
}
