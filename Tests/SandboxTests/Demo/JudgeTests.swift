import Contracts
import Testing

@testable import SandboxDemo

@Suite("The judge of the demo")
struct JudgeTests {
    /// A day as it must be: every order with its first allowed end, in all four books.
    private static func day() -> (played: [PlayedOrder], books: Books) {
        var random = SeededGenerator(seed: 7)
        var books = Books()
        let played = DayScript(seed: 3, size: 220).orders.map { script in
            let order = OrderID(
                time: Timestamp(seconds: 1_800_000_000), randomness: (0..<10).map { _ in random.byte() })
            let end = script.allowedEnds[0]
            let payments = end.payments.map { _ in PaymentID(hash: (0..<16).map { _ in random.byte() }) }
            books.gatewayOrders[order] = end.state
            books.ledgerOrders[order] = end.state
            for (payment, outcome) in zip(payments, end.payments) {
                let row = BookedPayment(order: order, payment: payment, outcome: outcome)
                books.device.append(row)
                if case .rejected = outcome { continue }
                books.gateway.append(row)
                books.ledger.append(row)
                if outcome.charged > 0 {
                    books.acquirer.append(row)
                    books.receivable[order, default: 0] += outcome.charged
                }
            }
            return PlayedOrder(script: script, order: order, payments: payments)
        }
        return (played, books)
    }

    @Test("finds nothing on a day as it must be")
    func nothing() {
        let (played, books) = Self.day()
        #expect(Judge(played: played, books: books).findings() == [])
    }

    @Test("finds one fen in any of the books", arguments: BookName.allCases)
    func oneFen(name: BookName) throws {
        let book = name.path
        let (played, right) = Self.day()
        var books = right
        let index = try #require(books[keyPath: book].firstIndex { $0.outcome.charged > 0 })
        books[keyPath: book][index].outcome = .succeeded(books[keyPath: book][index].outcome.charged + 1)
        #expect(Judge(played: played, books: books).findings().isEmpty == false)
    }

    @Test("finds one fen in the ledger's entries")
    func oneFenInEntries() throws {
        let (played, right) = Self.day()
        var books = right
        let order = try #require(books.receivable.keys.min())
        books.receivable[order, default: 0] -= 1
        #expect(Judge(played: played, books: books).findings().map(\.order) == [order])
    }

    @Test(
        "finds a payment that is missing, there twice or a stranger's",
        arguments: [BookName.acquirer, .gateway, .ledger])
    func rows(name: BookName) throws {
        let book = name.path
        let (played, right) = Self.day()
        let index = try #require(right[keyPath: book].firstIndex { $0.outcome.charged > 0 })
        let row = right[keyPath: book][index]
        var books = right
        books[keyPath: book].remove(at: index)
        #expect(!Judge(played: played, books: books).findings().isEmpty)
        books = right
        books[keyPath: book].append(row)
        #expect(!Judge(played: played, books: books).findings().isEmpty)
        books = right
        let stranger = OrderID(hash: [UInt8](repeating: 9, count: 16))
        books[keyPath: book].append(BookedPayment(order: stranger, payment: row.payment, outcome: row.outcome))
        #expect(Judge(played: played, books: books).findings().map(\.order) == [stranger])
    }

    @Test("finds a charge behind a decline")
    func hiddenCharge() throws {
        let (played, right) = Self.day()
        var books = right
        let row = try #require(books.device.first { $0.outcome == .declined(.noRoute) })
        books.acquirer.append(BookedPayment(order: row.order, payment: row.payment, outcome: .succeeded(1)))
        #expect(Judge(played: played, books: books).findings().map(\.book) == ["acquirer"])
    }

    @Test("finds an order that is paid in one book and open in another", arguments: [true, false])
    func orderState(isGateway: Bool) throws {
        let (played, right) = Self.day()
        var books = right
        let order = try #require(books.gatewayOrders.filter { $0.value == .paid }.keys.min())
        if isGateway { books.gatewayOrders[order] = .open } else { books.ledgerOrders[order] = .open }
        #expect(Judge(played: played, books: books).findings().map(\.order) == [order])
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
