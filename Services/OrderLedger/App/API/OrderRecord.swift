import Contracts
import Ledger
import OrchardHTTPTypes
import OrchardPostgres
import Outbox

/// Everything that the ledger knows of an order when a shop asks for something after the payment.
struct OrderRecord {
    let id: OrderID
    let merchant: MerchantID
    let currency: Currency
    let place: OrdersAPI.Place
    /// Empty until the fold knows the order.
    let state: OrderState
    let commands: [StoredCommand]
    let final: FinalOffer?
    /// What was chosen in the revision that a payment pays.
    private let choices: [Int64: OfferChoice]

    /// Reads it in a transaction that has locked the order.
    ///
    /// - Throws: `Problem` while the database may lack data of the order.
    static func read(
        _ id: OrderID, _ place: OrdersAPI.Place, on connection: PostgresConnection
    ) async throws -> OrderRecord {
        let partition = place.partition
        let (states, found) = try await OrderStore(partition: partition).read(
            [id],
            beside: [
                StoredCommand.reading(of: id, in: partition), FinalOffer.reading(of: id, in: partition),
                PostgresStatement(
                    """
                    SELECT revision, \(OfferStore.choiceColumns) FROM ledger.offers f
                    WHERE partition = $1 AND order_id = $2 AND EXISTS (SELECT 1 FROM ledger.payments p
                        WHERE p.partition = f.partition AND p.order_id = f.order_id AND p.revision = f.revision)
                    """, [partition, id]),
                LedgerSchema.inbox.fence(partition),
            ], on: connection)
        let results = Array(found)
        do { try ForgottenOrders.checkBooks(results[3].rows.first, partition) } catch let error as InboxError {
            throw Problem(error)
        }
        let state = states.first ?? OrderState(id: id)
        guard let merchant = place.offered?.merchant ?? state.merchant,
            let currency = place.offered?.request.currency ?? state.offer?.totals.currency
        else { throw Problem.noSuchOrder }
        return OrderRecord(
            id: id, merchant: merchant, currency: currency, place: place, state: state,
            commands: try results[0].rows.map { try StoredCommand($0) },
            final: try results[1].rows.first.map { try FinalOffer($0) },
            choices: try Dictionary(
                results[2].rows.map { (try $0.int64("revision"), try OfferStore.choice(in: $0)) },
                uniquingKeysWith: { first, _ in first }))
    }

    /// Decides on a request.
    ///
    /// - Throws: `Problem`, `OfferError`.
    func decide(_ request: FollowUpRequest) throws -> FollowUpDecision {
        guard commands.count < OrdersAPI.maximumCommands else {
            throw Problem(
                .conflict, code: "too-many-commands",
                detail: "an order has at most \(OrdersAPI.maximumCommands) commands")
        }
        do {
            let rules = FollowUpRules(state, finalTotals: try finalTotals())
            let payment = try rules.payment(request.payment)
            let decision = try rules.decide(request, try goods(request, payment))
            if case .finalise = request.content, hasUnansweredCapture(payment) {
                throw FollowUpRefusal(
                    .operationInProgress,
                    "a capture of the payment is on its way to the gateway: repeat the request when it has an outcome, or "
                        + "take an amount with a capture")
            }
            return decision
        } catch let refusal as FollowUpRefusal {
            throw Problem(refusal, of: id)
        }
    }

    /// What final lines cost that the fold does not know yet; those that it knows are not priced again.
    private func finalTotals() throws -> OfferTotals? {
        guard state.finalRevision == nil, let final else { return nil }
        return try final.offer().totals
    }

    /// Whether a capture is on its way to the gateway. It may take another amount than final lines that come now, and
    /// leave nothing for theirs.
    private func hasUnansweredCapture(_ payment: PaymentID) -> Bool {
        commands.contains {
            $0.payment == payment && $0.type == CommandType.capture.rawValue && state.outcome(of: $0.id) == .requested
        }
    }

    /// What was sold; nil where the request does not need it.
    private func goods(_ request: FollowUpRequest, _ payment: PaymentID) throws -> SoldGoods? {
        guard request.content.needsGoods else { return nil }
        guard let order = place.offered else { throw Problem.goodsUnknown }
        if case .finalise = request.content {
            return SoldGoods(try paidOffer(order, payment), newest: order.revision)
        }
        let open = commands.filter { command in
            guard command.payment == payment else { return false }
            switch state.outcome(of: command.id) {
            case .rejected, .failed: return false
            case .requested, .inProgress, .unknown, .done: return true
            }
        }
        guard !hasForgottenReturns(payment) else { throw Problem.returnedGoodsUnknown }
        let returned = try open.flatMap { try $0.returnedLines(in: order.request.currency) }
        return SoldGoods(try sold(order, payment), newest: order.revision, returned: returned)
    }

    /// Whether the payment has a refund of pieces whose command a lost database took with it: which they were is not known.
    private func hasForgottenReturns(_ payment: PaymentID) -> Bool {
        state.followUps.contains { refund in
            guard refund.payment == payment, refund.kind == .refund, refund.parts != nil, refund.status != .failed,
                let cause = refund.cause.command
            else { return false }
            return !commands.contains { $0.id == cause }
        }
    }

    /// The final offer; else the one that the payment pays.
    private func sold(_ order: OfferedOrder, _ payment: PaymentID) throws -> Offer {
        if state.finalRevision != nil || final != nil {
            guard let final else { throw Problem.goodsUnknown }
            return try final.offer()
        }
        return try paidOffer(order, payment)
    }

    /// The offer that the payment pays. The customer may have chosen anew since then: that choice was not paid.
    private func paidOffer(_ order: OfferedOrder, _ payment: PaymentID) throws -> Offer {
        guard let revision = state[payment]?.revision, let choice = choices[revision] else {
            throw Problem.goodsUnknown
        }
        var paid = order
        (paid.revision, paid.choice) = (revision, choice)
        return try paid.offer()
    }
}
