import OrchardJSON

extension Acquirer {
    /// Runs one command of the test harness: `GET book`, `POST arm` …
    ///
    /// - Parameters:
    ///   - query: the pairs of the URL's query.
    ///   - body: a JSON object.
    func control(_ command: String, query: [String: String], body: JSONValue) throws(ControlError) -> JSONValue {
        switch command {
        case "GET book":
            return .array(book.transactions.filter { $0.matches(query) }.map { $0.row.json })
        case "GET summary":
            let summary = BookSummary(book.transactions, prefix: query["prefix"].flatMap { Int($0) } ?? 1_024)
            return summary.json(group: query["group"], counts: counts)
        case "GET held":
            return .array(room.guests.sorted { $0.key < $1.key }.map { $0.value.row })
        case "POST clock":
            clockOffset = try body.integer("offset_s")
        case "POST day":
            book.openDay = body["open"] == nil ? nil : try body.day("open")
        case "POST outage":
            let place: Outage.Place = try body.choice("endpoint")
            let mode: Outage.Mode = body["mode"] == nil ? .drop : try body.choice("mode")
            outages[place] = Outage(until: .now + .seconds(try body.integer("seconds")), mode: mode)
        case "POST arm":
            guard let name = body["fault"]?.string, let fault = FaultTable.fault(named: name) else {
                throw ControlError("fault is not the name of a scripted behaviour")
            }
            book.arm(
                ArmedFault(
                    fault: fault, match: try TransactionMatch(body), count: try body.integer("count", default: 1)))
        case "POST storm":
            book.begin(body.members?.isEmpty == false ? try FaultStorm(body) : nil)
        case "POST hold":
            room.add(
                Hold(
                    stage: try body.choice("stage"), match: try TransactionMatch(body),
                    count: try body.integer("count", default: 1)))
        case "POST release":
            let count = room.release(try TransactionMatch(body), forgetting: body["forget"]?.bool ?? false)
            return .object(["released": .integer(Int64(count))])
        case "POST dispute":
            let date: String = try body.text("settleDate")
            for order in body["orderIds"]?.array ?? [] {
                guard let order = order.string else { throw ControlError("orderIds is no array of texts") }
                book.dispute(Book.Dispute(orderID: order, date: date))
            }
        case "POST till":
            let (merchant, order): (String, String) = (try body.text("merId"), try body.text("orderId"))
            for number in 1...max(1, try body.integer("count", default: 1)) {
                book.sellAtTill(
                    of: merchant, "\(order)x\(number)", amount: try body.integer("amount"), at: now)
            }
        case "POST misstate":
            book.misstate(try body.text("orderId"), amount: try body.integer("amount"))
        case "POST rotate":
            signer.isRotated = true
        case "POST reset":
            reset()
        default:
            throw ControlError("unknown command \(command)")
        }
        return .object([
            "ok": .bool(true), "now": .string(now.text), "unionpayDay": .string(book.settlementDay(at: now)),
        ])
    }

    /// A new book and the machine's own time; nothing is held, armed or out of service.
    private func reset() {
        _ = room.release(TransactionMatch(), forgetting: true)
        book = Book(options)
        signer.isRotated = false
        outages = [:]
        clockOffset = 0
        counts = [:]
    }
}

extension TransactionMatch {
    /// - Throws: when `txnType` is no kind of transaction.
    init(_ body: JSONValue) throws(ControlError) {
        let type = body["txnType"]?.string ?? ""
        self.init(
            kind: type.isEmpty ? nil : try body.choice("txnType"),
            orderIDPrefix: body["orderIdPrefix"]?.string ?? "", card: body["card"]?.string ?? "",
            amount: body["amount"]?.integer)
    }
}

extension HeldRequests.Entry {
    fileprivate var row: JSONValue {
        .object([
            "amount": .integer(request.amount), "backUrl": .string(request.fields["backUrl"] ?? ""),
            "card": .string(request.card), "orderId": .string(request.key.orderID),
            "reqReserved": .string(request.fields["reqReserved"] ?? ""), "stage": .string(stage.rawValue),
            "txnTime": .string(request.key.time), "txnType": .string(request.kind.rawValue),
        ])
    }
}

extension [String: JSONValue] {
    fileprivate var json: JSONValue { .object(sorted { $0.key < $1.key }.map { JSONMember($0.key, $0.value) }) }
}

extension JSONValue {
    fileprivate func integer(_ name: String) throws(ControlError) -> Int64 {
        guard let value = self[name]?.integer else { throw ControlError("\(name) is no integer") }
        return value
    }

    fileprivate func integer(_ name: String, default value: Int) throws(ControlError) -> Int {
        self[name] == nil ? value : Int(try integer(name))
    }

    fileprivate func text(_ name: String) throws(ControlError) -> String {
        guard let value = self[name]?.string else { throw ControlError("\(name) is no text") }
        return value
    }

    /// A date YYYY-MM-DD, without its hyphens.
    fileprivate func day(_ name: String) throws(ControlError) -> String {
        let digits = try text(name).replacing("-", with: "")
        guard BeijingTime(digits + "000000") != nil else { throw ControlError("\(name) is no date as in 2026-11-24") }
        return digits
    }

    fileprivate func choice<Choice: RawRepresentable>(_ name: String) throws(ControlError) -> Choice
    where Choice.RawValue == String {
        guard let text = self[name]?.string, let choice = Choice(rawValue: text) else {
            throw ControlError("\(name) has no such value")
        }
        return choice
    }
}
