import Contracts
import Testing

@testable import SandboxDemo

@Suite("The comparison of the demo's books")
struct BookComparisonTests {
    /// A correct day: every order with its first allowed end, in all five books.
    private static func day() -> (played: [PlayedOrder], books: Books) {
        var random = SeededGenerator(seed: 7)
        var books = Books()
        let played = DemoScript(seed: 3, size: 220).orders.map { script in
            let order = OrderID(
                time: Timestamp(seconds: 1_800_000_000), randomness: (0..<10).map { _ in random.byte() })
            let end = script.allowedEnds[0]
            let payments = end.payments.map { _ in PaymentID(hash: (0..<16).map { _ in random.byte() }) }
            books.gatewayOrders[order] = end.state == .voided ? .paid : end.state
            books.ledgerOrders[order] = end.state
            for (payment, outcome) in zip(payments, end.payments) {
                let row = BookedPayment(order: order, payment: payment, outcome: outcome)
                books.device.append(row)
                if case .rejected = outcome { continue }
                books.gateway.append(row)
                books.ledger.append(row)
                guard outcome.isAcquirers else { continue }
                books.acquirer.append(BookedPayment(order: order, payment: payment, outcome: outcome.atAcquirer))
            }
            let charged = end.payments.reduce(0) { $0 + $1.charged }
            let kept = script.kept(charged: charged)
            (books.acquirerKept[order], books.gatewayKept[order], books.settled[order]) = (kept, kept, kept)
            for (kind, amounts) in script.filed(charged: charged, isVoided: end.state == .voided) {
                books.file += amounts.map { FiledTransaction(order: order, kind: kind, amount: $0, fee: 0, net: $0) }
            }
            books.entries[order] =
                script.followUps.isEmpty
                ? script.postings(charged: charged)
                : ["assets:acquirer-receivable": kept, "income:sales": -kept].filter { $0.value != 0 }
            if script.scenario == .cancelRace { books.rejectedCommands[order] = 1 }
            return PlayedOrder(script: script, order: order, payments: payments)
        }
        return (played, books)
    }

    @Test("finds nothing on a correct day")
    func nothing() {
        let (played, books) = Self.day()
        #expect(BookComparison(played: played, books: books).findings() == [])
    }

    @Test("finds one fen in any of the books, and --once exits 1", arguments: BookName.allCases, [1, -1] as [Int64])
    func oneFen(name: BookName, change: Int64) throws {
        let (played, right) = Self.day()
        var books = right
        let charged = books[keyPath: name.path].indices.filter { books[keyPath: name.path][$0].outcome.charged > 0 }
        let index = try #require(charged.last)
        let row = books[keyPath: name.path][index]
        books[keyPath: name.path][index].outcome = .succeeded(row.outcome.charged + change)
        let findings = BookComparison(played: played, books: books).findings()
        #expect(findings.map(\.order).contains(row.order))
        #expect(Report(findings: findings).status == 1)
        #expect(Report(findings: []).status == 0)
    }

    @Test("names the outcomes on the device, the allowed outcomes and those of the other books")
    func differences() throws {
        let (played, right) = Self.day()
        var books = right
        let index = try #require(books.device.firstIndex { $0.outcome.charged > 0 })
        let amount = books.device[index].outcome.charged
        books.device[index].outcome = .succeeded(amount + 1)
        let finding = try #require(BookComparison(played: played, books: books).findings().first)
        let paid = "succeeded with \(amount)"
        #expect(
            finding.book == "device" && finding.text.hasPrefix(#"got ["succeeded with \#(amount + 1)"], allowed are"#))
        for book in ["acquirer", "gateway", "ledger"] { #expect(finding.text.contains(#"\#(book): ["\#(paid)"]"#)) }
    }

    @Test("finds one fen in the ledger's entries, and one that went to another account")
    func oneFenInEntries() throws {
        let (played, right) = Self.day()
        // What a partial refund gives back of each account is the ledger's own rule.
        let plain = played.filter { $0.script.followUps.isEmpty }.map(\.order)
        let posted = plain.filter { right.entries[$0]?.isEmpty == false }
        let order = try #require(posted.min())
        let changes: [[String: Int64]] = [
            ["assets:acquirer-receivable": -1], ["income:sales": 1, "income:shipping": -1],
        ]
        for changes in changes {
            var books = right
            books.entries[order]?.merge(changes, uniquingKeysWith: +)
            #expect(Set(BookComparison(played: played, books: books).findings().map(\.order)) == [order])
        }
    }

    @Test(
        "finds a payment that is missing, is there twice or belongs to no order",
        arguments: [BookName.acquirer, .gateway, .ledger])
    func rows(name: BookName) throws {
        let book = name.path
        let (played, right) = Self.day()
        let index = try #require(right[keyPath: book].firstIndex { $0.outcome.charged > 0 })
        let row = right[keyPath: book][index]
        var books = right
        books[keyPath: book].remove(at: index)
        #expect(!BookComparison(played: played, books: books).findings().isEmpty)
        books = right
        books[keyPath: book].append(row)
        #expect(!BookComparison(played: played, books: books).findings().isEmpty)
        books = right
        let stranger = OrderID(hash: [UInt8](repeating: 9, count: 16))
        books[keyPath: book].append(BookedPayment(order: stranger, payment: row.payment, outcome: row.outcome))
        #expect(BookComparison(played: played, books: books).findings().map(\.order) == [stranger])
    }

    @Test(
        "finds a payment that reached the acquirer although it ended before a send, charged or not",
        arguments: [.succeeded(1), .declined(.frozenCard)] as [OrderEnd.Outcome],
        [.declined(.noRoute), .declined(.expired), .refused(.orderBusy), .refused(.orderClosed)] as [OrderEnd.Outcome])
    func hiddenSend(outcome: OrderEnd.Outcome, published: OrderEnd.Outcome) throws {
        let (played, right) = Self.day()
        var books = right
        let row = try #require(books.device.first { $0.outcome == published })
        books.acquirer.append(BookedPayment(order: row.order, payment: row.payment, outcome: outcome))
        #expect(BookComparison(played: played, books: books).findings().map(\.book) == ["acquirer"])
    }

    @Test("finds a decline that the acquirer never gave, or gave for another reason")
    func inventedDecline() throws {
        let (played, right) = Self.day()
        let index = try #require(right.acquirer.firstIndex { $0.outcome == .declined(.frozenCard) })
        var books = right
        books.acquirer[index].outcome = .declined(.incorrectPIN)
        #expect(BookComparison(played: played, books: books).findings().map(\.book) == ["acquirer"])
        books.acquirer.remove(at: index)
        #expect(BookComparison(played: played, books: books).findings().map(\.book) == ["acquirer"])
    }

    @Test("accepts either end of a race, but not a mixture")
    func race() throws {
        let (played, right) = Self.day()
        let race = try #require(played.first { $0.script.scenario == .cancelRace })
        var books = right
        books.rejectedCommands[race.order] = nil
        #expect(BookComparison(played: played, books: books).findings().map(\.order) == [race.order])
        // Refused at once, it never became a command.
        let refused = played.map { order in
            PlayedOrder(
                script: order.script, order: order.order, payments: order.payments,
                isCancelTaken: order.order != race.order)
        }
        #expect(BookComparison(played: refused, books: books).findings() == [])
        // Cancelled: the token is refused and nothing reaches the acquirer.
        for path in [\Books.device, \.gateway, \.ledger] {
            let index = try #require(books[keyPath: path].firstIndex { $0.order == race.order })
            books[keyPath: path][index].outcome = .refused(.orderClosed)
        }
        (books.gatewayOrders[race.order], books.ledgerOrders[race.order]) = (.cancelled, .cancelled)
        (books.entries[race.order], books.gatewayKept[race.order], books.settled[race.order]) = (nil, nil, nil)
        books.file.removeAll { $0.order == race.order }
        #expect(Set(BookComparison(played: played, books: books).findings().map(\.book)) == ["acquirer"])
        books.acquirer.removeAll { $0.order == race.order }
        books.acquirerKept[race.order] = nil
        #expect(BookComparison(played: played, books: books).findings() == [])
    }

    @Test(
        "finds a row of the settlement file that has another amount, is missing or is there twice, and names it",
        arguments: ["01", "03", "04", "31"], ["changed", "missing", "doubled"])
    func file(kind: String, change: String) throws {
        let (played, right) = Self.day()
        let index = try #require(right.file.firstIndex { $0.kind == kind })
        let row = right.file[index]
        var books = right
        switch change {
        case "changed": books.file[index].amount += 1
        case "missing": books.file.remove(at: index)
        default: books.file.append(row)
        }
        let findings = BookComparison(played: played, books: books).findings()
        #expect(findings.map(\.book) == ["settlement file"] && findings.map(\.order) == [row.order])
        #expect(findings[0].text.contains("\(kind) of \(row.amount)"))
    }

    @Test("finds a row of the settlement file that belongs to no order of the day")
    func foreignRow() {
        let (played, right) = Self.day()
        var books = right
        let stranger = OrderID(hash: [UInt8](repeating: 9, count: 16))
        books.file.append(FiledTransaction(order: stranger, kind: "01", amount: 1, fee: 0, net: 1))
        #expect(BookComparison(played: played, books: books).findings().map(\.order) == [stranger])
    }

    @Test("finds a fen that the ledger has not settled by the files")
    func unsettled() throws {
        let (played, right) = Self.day()
        var books = right
        let order = try #require(right.settled.filter { $0.value > 0 }.keys.min())
        books.settled[order, default: 0] -= 1
        let findings = BookComparison(played: played, books: books).findings()
        #expect(findings.map(\.book) == ["ledger"] && findings.map(\.order) == [order])
    }

    @Test("finds an order that is paid in one book and open in another", arguments: [true, false])
    func orderState(isGateway: Bool) throws {
        let (played, right) = Self.day()
        var books = right
        let order = try #require(books.gatewayOrders.filter { $0.value == .paid }.keys.min())
        if isGateway { books.gatewayOrders[order] = .open } else { books.ledgerOrders[order] = .open }
        #expect(BookComparison(played: played, books: books).findings().map(\.order) == [order])
    }
}

/// The books that hold payments.
enum BookName: CaseIterable {
    case device, acquirer, gateway, ledger

    var path: WritableKeyPath<Books, [BookedPayment]> {
        switch self {
        case .device: \.device
        case .acquirer: \.acquirer
        case .gateway: \.gateway
        case .ledger: \.ledger
        }
    }
}

extension SeededGenerator {
    fileprivate mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: next()) }
}
