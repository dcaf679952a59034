import Contracts
import LedgerFixtures
import OrchardJSON
import Testing

@testable import Ledger

@Suite("Reconciling a day")
struct ReconciliationTests {
    private let history = History()
    private let time = Timestamp(seconds: 1_700_000_200)
    private let nextTime = Timestamp(seconds: 1_700_086_600)

    /// An order with one paid sale of 109.00, which the acquirer dates 21 November, and some rows.
    private func order(_ rows: [SettlementRecorded] = [], paid: Bool = true) throws -> OrderState {
        let totals = try Shop.totals()
        let payment =
            paid
            ? history.payment(amount: totals.amount, .accepted, .succeeded)
            : history.payment(amount: totals.amount, .accepted)
        let (book, _) = PartitionBook.reading(
            [history.offer(1, totals)] + payment + rows.map { .settlementRecorded($0) })
        return try #require(book.fold.orders[Shop.order])
    }

    private func reconcile(
        _ rows: [SettlementRecorded], of order: OrderState, file: SettlementFileRecorded? = nil, next: Bool = true,
        on date: String = "2023-11-21", explanations: [DifferenceExplained] = []
    ) -> Reconciliation {
        let file = file ?? history.file(rows, on: date)
        var day = Reconciliation(
            history.day(date), file: .init(file, at: time), isWhole: Int64(rows.count) >= file.rows,
            nextFile: next ? nextTime : nil, explanations: explanations)
        for row in rows { day.add(.init(row, at: time), of: row.operation == nil ? nil : order) }
        day.add(order)
        day.close()
        return day
    }

    @Test("Ours, the rows and the file agree: reconciled, also before the next day's file")
    func agrees() throws {
        let row = history.row(amount: 10_900, fee: 65)
        for next in [true, false] {
            let day = reconcile([row], of: try order([row]), next: next)
            #expect(day.status == .reconciled)
            #expect(day.matched == 1)
            #expect(day.ours.taken == 10_900 && day.theirs.taken == 10_900)
            #expect(day.theirs.fees == 65 && day.owed == 10_835)
            #expect(day.differences.first.isEmpty && day.waitsFor == nil)
        }
    }

    // Failure scenario 24.
    @Test("A success with a defect agrees like every other one, and is shown with the acquirer's remark")
    func remark() throws {
        let totals = try Shop.totals()
        let defect = PaymentEvent.succeeded(
            PaymentEvent.result.remarked("A6: paid, with a defect"), sentAt: nil, queries: 1)
        let row = history.row(amount: 10_900, fee: 65)
        let (book, _) = PartitionBook.reading(
            [history.offer(1, totals)] + history.payment(amount: totals.amount, .accepted, defect)
                + [.settlementRecorded(row)])
        let order = try #require(book.fold.orders[Shop.order])
        #expect(order.paidBy == Shop.paymentID(1))
        let day = reconcile([row], of: order)
        #expect(day.status == .reconciled && day.matched == 1)
        #expect(day.remarked == 1 && day.remarks.map(\.remark) == ["A6: paid, with a defect"])
        #expect(day.remarks.first?.order == Shop.order && day.remarks.first?.transaction.serial == "q1")
        let report = try JSONValue(parsing: day.json(BankBalance(), checkedAt: time))
        #expect(report["remarks"]?.array?.first?["remark"]?.string == "A6: paid, with a defect")
        let plain = reconcile([row], of: try self.order([row]))
        #expect(plain.remarked == 0 && plain.remarks.isEmpty)
    }

    // Failure scenario 48.
    @Test("Only ours: waits for the next day's file, and is a difference then")
    func onlyOurs() throws {
        let other = history.row(nil, serial: "q9", amount: 1, fee: 0)
        let waiting = reconcile([], of: try order(), next: false)
        #expect(waiting.status == .waiting)
        #expect(waiting.waitsFor == "the file of 2023-11-22 for 1 transactions")
        #expect(waiting.differences.open == 0)
        let day = reconcile([], of: try order(), next: true)
        #expect(day.status == .differs)
        let difference = try #require(day.differences.first.first)
        #expect(difference.kind == .onlyOurs && difference.amount.minorUnits == -10_900)
        #expect(difference.since == nextTime)
        #expect(difference.order == Shop.order && difference.payment == Shop.paymentID(1) && difference.serial == "q1")
        // While rows of the file are missing, nothing can be told of ours.
        let cut = reconcile([], of: try order(), file: history.file([other]), next: true)
        #expect(cut.status == .waiting && cut.waitsFor == "1 rows of the file of 2023-11-21")
        #expect(cut.differences.open == 0)
    }

    @Test("A transaction near the day's end may stand in the next day's file: no difference in either")
    func nextDay() throws {
        let row = history.row(amount: 10_900, fee: 65, on: "2023-11-22")
        let order = try order([row])
        let own = reconcile([], of: order)
        #expect(own.status == .reconciled && own.inNextDay == 1 && own.waiting == 0)
        let next = reconcile([row], of: order, on: "2023-11-22")
        #expect(next.status == .reconciled && next.matched == 1 && next.fromDayBefore == 1)
    }

    @Test("The dates differ when it stands two days later")
    func dates() throws {
        let row = history.row(amount: 10_900, fee: 65, on: "2023-11-23")
        let day = reconcile([row], of: try order([row]), on: "2023-11-23")
        #expect(day.differences.first.map(\.kind) == [.dateDiffers])
        #expect(day.differences.first.first?.amount.minorUnits == 0)
    }

    // Failure scenario 48.
    @Test("Only theirs: no order, no success of ours, or settled before")
    func onlyTheirs() throws {
        let unknown = history.row(nil, serial: "q9", amount: 500, fee: 3)
        let row = history.row(amount: 10_900, fee: 65)
        let twice = history.row(serial: "q2", amount: 10_900, fee: 65)
        let day = reconcile([row, unknown, twice], of: try order([row, twice]))
        #expect(day.differences.first.map(\.kind) == [.onlyTheirs, .onlyTheirs])
        #expect(day.differences.first.map(\.amount.minorUnits) == [500, 10_900])
        #expect(day.differences.first.map(\.serial) == ["q9", "q2"])
        #expect(day.matched == 1)
        let unpaid = reconcile([row], of: try order([row], paid: false))
        #expect(unpaid.differences.first.map(\.kind) == [.onlyTheirs])
    }

    @Test("The amounts differ: the difference is theirs less ours")
    func amounts() throws {
        let row = history.row(amount: 10_000, fee: 60)
        let day = reconcile([row], of: try order([row]))
        #expect(day.differences.first.map(\.kind) == [.amountDiffers])
        #expect(day.differences.first.first?.amount.minorUnits == -900)
        #expect(day.matched == 0)
    }

    @Test("The fee differs when a row does not pay its amount less its fee")
    func fees() throws {
        let row = history.row(amount: 10_900, fee: 65, net: 10_800)
        let day = reconcile([row], of: try order([row]))
        #expect(day.differences.first.map(\.kind) == [.feeDiffers])
        #expect(day.differences.first.first?.amount.minorUnits == -35)
    }

    @Test("The file differs when its rows do not add up to its sums")
    func file() throws {
        let row = history.row(amount: 10_900, fee: 65)
        let cheaper = history.file([history.row(amount: 10_900, fee: 60)])
        let day = reconcile([row], of: try order([row]), file: cheaper)
        #expect(day.differences.first.map(\.kind) == [.fileDiffers])
        #expect(day.differences.first.first?.amount.minorUnits == -5)
        #expect(day.status == .differs)
    }

    @Test("An explanation ends a difference of its kind and amount, and no other")
    func explained() throws {
        let row = history.row(amount: 10_000, fee: 60)
        let order = try order([row])
        let open = try #require(reconcile([row], of: order).differences.first.first)
        func explanation(_ kind: DifferenceKind, _ amount: Int64) throws -> DifferenceExplained {
            try #require(
                DifferenceExplained(
                    day: row.day, difference: open.id, kind: kind, amount: Money(minorUnits: amount, currency: .cny),
                    reason: "a discount of the bank", by: "li.wei"))
        }
        let day = reconcile([row], of: order, explanations: [try explanation(.amountDiffers, -900)])
        #expect(day.status == .reconciled && day.differences.explained == 1 && day.differences.open == 0)
        #expect(day.differences.first.first?.explanation?.by == "li.wei")
        for other in [try explanation(.amountDiffers, -901), try explanation(.onlyTheirs, -900)] {
            #expect(reconcile([row], of: order, explanations: [other]).status == .differs)
        }
    }

    @Test("Without a file the day waits for it; without anything it is empty")
    func noFile() throws {
        var day = Reconciliation(history.day(), file: nil, isWhole: false, nextFile: nextTime, explanations: [])
        #expect(day.isEmpty)
        day.add(try order())
        day.close()
        #expect(!day.isEmpty && day.status == .waiting && day.waitsFor == "the file of 2023-11-21")
    }

    @Test("Another merchant's order, and another account, are none of the day's")
    func others() throws {
        var other = history
        other.merchant = Shop.otherMerchant
        var day = Reconciliation(other.day(), file: nil, isWhole: false, nextFile: nil, explanations: [])
        day.add(try order())
        #expect(day.ours.count == 0)
    }

    @Test("The year of the acquirer's date is the one nearest to the transaction")
    func years() {
        func date(_ text: String?, _ time: String) -> String? {
            guard let time = Timestamp(rfc3339: time) else { return nil }
            let reference = AcquirerReference(acquirer: "unionpay", account: "a", orderNumber: "n", time: time)
            let result = AcquirerResult(reference: reference, code: "00", settlementDate: text)
            return SettlementDate(of: result, or: reference).description
        }
        #expect(date("0101", "2026-12-31T15:30:00Z") == "2027-01-01")
        #expect(date("1231", "2027-01-01T01:00:00Z") == "2026-12-31")
        #expect(date("1121", "2026-11-21T02:00:00Z") == "2026-11-21")
        // Without a date of the acquirer: its day ends at 23:00 in Beijing.
        #expect(date(nil, "2026-11-21T14:59:59Z") == "2026-11-21")
        #expect(date(nil, "2026-11-21T15:00:00Z") == "2026-11-22")
        #expect(date("0230", "2026-11-21T02:00:00Z") == "2026-11-21")
    }
}
