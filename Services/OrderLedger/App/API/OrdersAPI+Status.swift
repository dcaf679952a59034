import Contracts
import Ledger
import OrchardHTTPServer
import OrchardHTTPTypes
import OrchardJSON
import OrchardPostgres
import Outbox

extension OrdersAPI {
    /// The longest that a device may wait in one request, in seconds: Apple's sheet gives up after 30.
    static let longestWait = 25

    /// `GET /v1/orders/{id}/payments/{payment}?wait=N`.
    func showPayment(_ request: HTTPRequest, _ parameters: RouteParameters) async throws -> HTTPResponse {
        let order = try orderID(parameters)
        let payment = try parameters.require("payment") { PaymentID($0) }
        let wait = try Self.wait(request)
        let reader = try authenticator.reader(request, of: order)
        let partition = try await partition(of: order, for: reader)
        let language = SheetLanguage(of: reader.ticket, accepting: request.fields["Accept-Language"])
        let deadline = ContinuousClock.now + .seconds(wait)
        let answer = try await statusChanges.withChanges(of: order) { statusChanges in
            var answer = try await self.answer(order, payment, partition, language)
            while !answer.isFinal, await statusChanges.wakes(before: deadline) {
                answer = try await self.answer(order, payment, partition, language)
            }
            return answer
        }
        return .json(JSONWriter.object { answer.write(to: &$0) })
    }

    /// The order's partition, if the caller may read the order.
    private func partition(of order: OrderID, for reader: Authenticator.Reader) async throws -> Int32 {
        switch reader {
        case .device(let ticket): ticket.partition
        case .merchant(let merchant, _):
            try await database.withConnection { try await place(of: order, of: merchant.id, on: $0) }.partition
        }
    }

    private func answer(
        _ order: OrderID, _ payment: PaymentID, _ partition: Int32, _ language: SheetLanguage
    ) async throws -> PaymentAnswer {
        let place = PaymentPlace(order: OrderPlace(partition: partition, order: order), payment: payment)
        let known = try await paymentReads.perform(place, of: nil) { places in
            try await database.withConnection { try await OrderStore.payments(at: places, on: $0) }
        }
        return PaymentAnswer(
            order: order, payment: payment, state: known?.state, paidBy: known?.paidBy, language: language)
    }

    static func wait(_ request: HTTPRequest) throws(Problem) -> Int {
        guard let pairs = request.query else {
            throw Problem(.badRequest, code: "bad-query", detail: "the query cannot be decoded")
        }
        let values = pairs.filter { $0.name == "wait" }.map(\.value)
        guard let text = values.first else { return 0 }
        guard values.count == 1, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let wait = Int(text),
            (0...longestWait).contains(wait)
        else {
            throw Problem(
                .badRequest, code: "bad-query", detail: "wait is a number of seconds from 0 to \(longestWait)",
                members: ["field": "wait"])
        }
        return wait
    }

    /// `GET /v1/orders/{id}`.
    func showOrder(_ request: HTTPRequest, _ parameters: RouteParameters) async throws -> HTTPResponse {
        let id = try orderID(parameters)
        let reader = try authenticator.reader(request, of: id)
        let (merchant, isForShop) =
            switch reader {
            case .device(let ticket): (ticket.merchant, false)
            case .merchant(let merchant, _): (merchant.id, true)
            }
        var view = try await database.withTransaction(.snapshot) { connection in
            try await self.view(of: id, of: merchant, on: connection)
        }
        view.isForShop = isForShop
        return .json(view.json)
    }

    /// The order, if it is this merchant's, with its state; in a transaction that sees one snapshot.
    func view(
        of id: OrderID, of merchant: MerchantID, on connection: PostgresConnection
    ) async throws -> OrderView {
        let place = try await place(of: id, of: merchant, on: connection)
        let store = OrderStore(partition: place.partition)
        let loading = store.loading([id])
        let count = loading.count
        let results = try await connection.pipeline(
            loading + [
                StoredCommand.reading(of: id, in: place.partition),
                PostgresStatement(
                    "SELECT count(*) AS attempts FROM ledger.attempts WHERE partition = $1 AND order_id = $2",
                    [place.partition, id]),
                Fulfilment.reading(of: id, in: place.partition), OrderHistory.reading(of: id, in: place.partition),
                PostgresStatement("SELECT created_at FROM ledger.offered_orders WHERE order_id = $1", [id]),
                FinalOffer.reading(of: id, in: place.partition),
            ])
        let commands = try results[count].rows.map { try StoredCommand($0) }
        let state = try store.orders(from: results[..<count]).first
        let attempts = try results[count + 1].rows.first?.int64("attempts") ?? 0
        let final = try results[count + 5].rows.first.map { try FinalOffer($0) }
        let known =
            if let offered = place.offered {
                try OrderView(offered, final, state, commands, rejectedAttempts: attempts)
            } else {
                state.flatMap { OrderView($0, commands, rejectedAttempts: attempts) }
            }
        guard var view = known else { throw Problem.noSuchOrder }
        view.fulfilments = try results[count + 2].rows.map { try Fulfilment($0) }
        view.history = try OrderHistory(results[count + 3].rows)
        view.createdAt = try results[count + 4].rows.first?.time("created_at")
        return view
    }
}

extension AsyncStream<Void> {
    /// Waits for the next element; false when the deadline comes first or the stream ends.
    func wakes(before deadline: ContinuousClock.Instant) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await _ in self { return true }
                return false
            }
            group.addTask {
                try? await Task.sleep(until: deadline)
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
    }
}
