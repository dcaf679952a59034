import Contracts

/// Compares the five books with the script and with each other, payment by payment.
struct BookComparison {
    private let played: [PlayedOrder]
    private let books: Books
    /// Each book's payments by order.
    private let device, acquirer, gateway, ledger: [OrderID: [BookedPayment]]
    private let file: [OrderID: [FiledTransaction]]

    init(played: [PlayedOrder], books: Books) {
        (self.played, self.books) = (played, books)
        device = Dictionary(grouping: books.device, by: \.order)
        acquirer = Dictionary(grouping: books.acquirer, by: \.order)
        gateway = Dictionary(grouping: books.gateway, by: \.order)
        ledger = Dictionary(grouping: books.ledger, by: \.order)
        file = Dictionary(grouping: books.file, by: \.order)
    }

    /// All differences from the script; empty when the day was right.
    func findings() -> [Finding] {
        var findings: [Finding] = []
        for order in played { findings += check(order) }
        findings += strangers()
        return findings
    }

    private func check(_ order: PlayedOrder) -> [Finding] {
        var findings: [Finding] = []
        func find(_ book: String, _ text: String) {
            findings.append(Finding(order: order.order, scenario: order.script.scenario, book: book, text: text))
        }
        let published = order.payments.map { payment in
            rows(device, of: order.order, payment).first?.outcome ?? .other("no answer")
        }
        let allowed = order.script.allowedEnds.filter { $0.payments == published }
        guard let end = allowed.first else {
            let ends = order.script.allowedEnds.map { $0.payments.map(\.text) }
            let others = [("acquirer", acquirer), ("gateway", gateway), ("ledger", ledger)].map { name, book in
                "\(name): \(book[order.order, default: []].map(\.outcome.text))"
            }
            find("device", "got \(published.map(\.text)), allowed are \(ends); \(others.joined(separator: ", "))")
            return findings
        }
        for (name, book) in [("gateway", gateway), ("ledger", ledger)] {
            for (payment, expected) in zip(order.payments, end.payments) {
                let found = rows(book, of: order.order, payment)
                if case .rejected = expected {
                    if !found.isEmpty { find(name, "a rejected token became payment \(payment)") }
                } else if found.count != 1 || found[0].outcome != expected {
                    find(
                        name,
                        "payment \(payment) is \(found.map { $0.outcome.text }), the device got \(expected.text)")
                }
            }
        }
        checkAcquirer(order, end, find)
        // The gateway closes an order by its payment, whatever becomes of the money afterwards.
        let closed = end.state == .voided ? .paid : end.state
        if books.gatewayOrders[order.order, default: .open] != closed {
            find("gateway", "the order is \(books.gatewayOrders[order.order, default: .open]), not \(closed)")
        }
        if books.ledgerOrders[order.order] != end.state {
            find(
                "ledger",
                "the order is \(books.ledgerOrders[order.order].map(\.rawValue) ?? "missing"), not \(end.state)")
        }
        let charged = end.payments.reduce(0) { $0 + $1.charged }
        checkMoney(order, charged: charged, find)
        checkFile(order, charged: charged, isVoided: end.state == .voided, find)
        // A cancel that lost its race is answered: the shop learns that it was rejected.
        let isRace = order.script.scenario == .cancelRace && order.isCancelTaken
        if isRace, end.state == .paid, books.rejectedCommands[order.order] == nil {
            find("ledger", "the cancel came too late, and no rejection was published")
        }
        return findings
    }

    /// What the shop has in the end is the same in the script, at the acquirer, in the gateway and in the books.
    private func checkMoney(_ order: PlayedOrder, charged: Int64, _ find: (String, String) -> Void) {
        let posted = books.entries[order.order, default: [:]].filter { $0.value != 0 }
        let kept = order.script.kept(charged: charged)
        let books = [
            ("acquirer", books.acquirerKept[order.order, default: 0]),
            ("gateway", books.gatewayKept[order.order, default: 0]),
            ("ledger", posted["assets:acquirer-receivable", default: 0]),
        ]
        for (name, found) in books where found != kept {
            find(name, "the shop has \(found) of the order, not \(kept)")
        }
        if order.script.followUps.isEmpty {
            if posted != order.script.postings(charged: charged) {
                find("ledger", "charged was \(charged), its entries are \(posted.sorted { $0.key < $1.key })")
            }
        } else if kept == 0 ? !posted.isEmpty : posted.keys.contains(where: { $0.contains("hold") }) {
            find("ledger", "nothing is left or held, its entries are \(posted.sorted { $0.key < $1.key })")
        }
    }

    /// The settlement files have each sale, capture, void and refund once, and the ledger has settled them all.
    private func checkFile(
        _ order: PlayedOrder, charged: Int64, isVoided: Bool, _ find: (String, String) -> Void
    ) {
        let found = Dictionary(grouping: file[order.order, default: []], by: \.kind)
            .mapValues { $0.map(\.amount).sorted() }
        let expected = order.script.filed(charged: charged, isVoided: isVoided)
        if found != expected {
            find("settlement file", "it has \(Self.text(found)), not \(Self.text(expected))")
        }
        let (settled, kept) = (books.settled[order.order, default: 0], order.script.kept(charged: charged))
        if settled != kept { find("ledger", "\(settled) of the order is settled, not \(kept)") }
    }

    private static func text(_ rows: [String: [Int64]]) -> String {
        let texts = rows.sorted { $0.key < $1.key }.flatMap { kind, amounts in amounts.map { "\(kind) of \($0)" } }
        return texts.isEmpty ? "nothing" : texts.joined(separator: ", ")
    }

    /// Compares with the acquirer: each sale once, with its outcome, and nothing that ended before a send.
    private func checkAcquirer(_ order: PlayedOrder, _ end: OrderEnd, _ find: (String, String) -> Void) {
        let rows = acquirer[order.order, default: []]
        for (payment, outcome) in zip(order.payments, end.payments) {
            let found = rows.filter { $0.payment == payment }.map(\.outcome)
            if found != (outcome.isAcquirers ? [outcome.atAcquirer] : []) {
                find("acquirer", "payment \(payment) is \(found.map(\.text)), the device got \(outcome.text)")
            }
        }
        for row in rows where !order.payments.contains(row.payment) {
            find("acquirer", "payment \(row.payment) is not in the script")
        }
    }

    /// Payments that are in a book but in no order of the script.
    private func strangers() -> [Finding] {
        let known = Set(played.map(\.order))
        let all = [
            ("acquirer", books.acquirer), ("gateway", books.gateway), ("ledger", books.ledger),
        ]
        return all.flatMap { name, book in
            book.filter { !known.contains($0.order) }.map {
                Finding(order: $0.order, scenario: nil, book: name, text: "payment \($0.payment) is not in the script")
            }
        }
            + books.file.filter { !known.contains($0.order) }.map {
                Finding(order: $0.order, book: "settlement file", text: "the order is not in the script")
            }
    }

    private func rows(
        _ book: [OrderID: [BookedPayment]], of order: OrderID, _ payment: PaymentID
    ) -> [BookedPayment] {
        book[order, default: []].filter { $0.payment == payment }
    }
}

extension OrderEnd.Outcome {
    /// The outcome with its amount.
    var text: String {
        charged > 0 ? "\(description) with \(charged)" : description
    }
}
