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
        case "POST outage":
            let place: Outage.Place = try body.choice("endpoint")
            let mode: Outage.Mode = body["mode"] == nil ? .drop : try body.choice("mode")
            outages[place] = Outage(until: .now + .seconds(try body.integer("seconds")), mode: mode)
        case "POST arm":
            guard let name = body["fault"]?.string, let fault = FaultTable.fault(named: name) else {
                throw ControlError("fault is not the name of a scripted behaviour")
            }
            book.arm(ArmedFault(fault: fault, match: SaleMatch(body), count: try body.integer("count", default: 1)))
        case "POST hold":
            room.add(
                Hold(
                    stage: try body.choice("stage"), match: SaleMatch(body),
                    count: try body.integer("count", default: 1)))
        case "POST release":
            let count = room.release(SaleMatch(body), forgetting: body["forget"]?.bool ?? false)
            return .object(["released": .integer(Int64(count))])
        case "POST rotate":
            signer.isRotated = true
        case "POST reset":
            reset()
        default:
            throw ControlError("unknown command \(command)")
        }
        return .object([
            "ok": .bool(true), "now": .string(now.text), "unionpayDay": .string(now.settlementDay),
        ])
    }

    /// A new book and the machine's own time; nothing is held, armed or out of service.
    private func reset() {
        _ = room.release(SaleMatch(), forgetting: true)
        book = Book(maximumQueries: options.maximumQueries)
        signer.isRotated = false
        outages = [:]
        clockOffset = 0
        counts = [:]
    }
}

extension SaleMatch {
    init(_ body: JSONValue) {
        self.init(
            orderIDPrefix: body["orderIdPrefix"]?.string ?? "", card: body["card"]?.string ?? "",
            amount: body["amount"]?.integer)
    }
}

extension HeldRequests.Entry {
    fileprivate var row: JSONValue {
        .object([
            "amount": .integer(sale.amount), "backUrl": .string(sale.fields["backUrl"] ?? ""),
            "card": .string(sale.card), "orderId": .string(sale.key.orderID),
            "reqReserved": .string(sale.fields["reqReserved"] ?? ""), "stage": .string(stage.rawValue),
            "txnTime": .string(sale.key.time),
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

    fileprivate func choice<Choice: RawRepresentable>(_ name: String) throws(ControlError) -> Choice
    where Choice.RawValue == String {
        guard let text = self[name]?.string, let choice = Choice(rawValue: text) else {
            throw ControlError("\(name) has no such value")
        }
        return choice
    }
}
