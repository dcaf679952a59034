import Testing

@testable import SandboxAcquirer

/// Transactions of many days by chance, with what the book decided and the files that it made.
struct RandomDays {
    /// As it is written for the independent acquirer.
    struct Record: Encodable {
        struct Request: Encodable {
            var fields: [String: String]
            /// Seconds since 1970.
            var now: Int64
            /// The result that a fault demands.
            var final: String
            var queryId: String
            /// The result in the book.
            var code: String
            var day: String
        }

        struct File: Encodable {
            var day: String
            var content: String
            var disputed: [String]
        }

        var merId: String
        var requests: [Request] = []
        var files: [File] = []
    }

    private(set) var record: Record
    private var book = Book()
    private var random: UInt64

    init(seed: UInt64, merchant: Merchant) throws {
        random = seed
        record = Record(merId: merchant.pki.merchants[0])
        var now = merchant.now
        for number in 0..<600 {
            // Mostly minutes; some nights; now and then the time in which things may follow.
            let pause: Int64 = [60, 600, 3_600, 20_000, 86_400, 29 * 86_400][
                choice(of: 40) < 38 ? choice(of: 4) : 4 + choice(of: 2)]
            now = BeijingTime(seconds: now.seconds + pause)
            try submit(number, at: now, merchant)
        }
        let later = BeijingTime(seconds: now.seconds + 2 * 86_400)
        for day in Set(record.requests.map(\.day)).sorted() {
            let date = String(day.suffix(4))
            let disputed = record.requests.filter { $0.day == day && choice(of: 9) == 0 }.compactMap {
                $0.fields["orderId"]
            }
            for order in disputed { book.dispute(Book.Dispute(orderID: order, date: date)) }
            guard
                let file = try? book.settlementFile(of: record.merId, on: date, at: later, feeBasisPoints: 60),
                file.day == day
            else { continue }
            record.files.append(Record.File(day: day, content: file.content, disputed: disputed))
        }
    }

    private mutating func submit(_ number: Int, at now: BeijingTime, _ merchant: Merchant) throws {
        let message = message(number, at: now, merchant)
        let kind = try #require(TransactionKind(rawValue: message["txnType"] ?? ""))
        let final = choice(of: 8) == 0 ? "60" : "00"
        let name = final == "60" ? ["declined_60", "late_declined_60"][choice(of: 2)] : "normal"
        let fault = try #require(FaultTable.fault(named: name))
        book.arm(ArmedFault(fault: fault, match: TransactionMatch(), count: 1))
        let request = TransactionRequest(message, kind, card: message["accNo"] ?? "")
        let queryID = try #require(try book.submit(request, at: now).queryID)
        book.finish(queryID)
        let booked = try #require(book[queryID])
        record.requests.append(
            Record.Request(
                fields: message.fields, now: now.seconds, final: final, queryId: queryID,
                code: booked.result?.text ?? "", day: booked.settlementDay))
    }

    private mutating func message(_ number: Int, at now: BeijingTime, _ merchant: Merchant) -> ACPMessage {
        let (order, time) = ("order\(number)x", ["txnTime": now.text])
        let kind = TransactionKind.allCases[choice(of: 7)]
        // Something recent is followed more often than something old.
        let recent = book.transactions.suffix(choice(of: 3) == 0 ? 600 : 12)
        guard !kind.hasCard, let original = recent.dropFirst(choice(of: recent.count)).first else {
            let kind = kind.hasCard ? kind : .sale
            let amount = Int64(1_000 + choice(of: 50_000))
            return merchant.sale(order, amount: amount, time.merging(["txnType": kind.rawValue]) { $1 })
        }
        let whole = original.amount
        let amount = [whole, whole, max(1, whole / 3), whole * 115 / 100, whole * 115 / 100 + 1, 1][choice(of: 6)]
        var changes = time.merging(["bizType": ["000802", "000000"][choice(of: 2)]]) { $1 }
        if kind == .refund, choice(of: 3) == 0 {
            changes["origQryId"] = ""
            changes["origOrderId"] = original.request.key.orderID
            changes["origTxnTime"] = original.request.key.time
        }
        return merchant.followUp(kind, of: original.queryID, amount: amount, order, changes)
    }

    private mutating func choice(of count: Int) -> Int {
        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return count == 0 ? 0 : Int(random >> 33) % count
    }
}
