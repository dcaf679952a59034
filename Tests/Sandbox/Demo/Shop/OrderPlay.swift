import Contracts
import SandboxWallet

/// Plays one order of the script: shop, sheet, device, and every fault on the way.
struct OrderPlay: Sendable {
    let script: ScriptedOrder
    let merchant: DemoMerchant
    let shop: ShopServer
    let device: Device
    /// Publishes a command to the topic in the same way as token-ingest.
    let lateCommands: LateCommands
    /// Shared by all races of the day.
    let cancelLead: CancelLead
    /// The run's name in idempotency keys.
    let run: String
    /// How long a device waits for an outcome.
    let timeout: Duration
    let customer = Customer()

    /// One of so many paid orders has its contact erased.
    static let erasedShare = 10

    /// The result of one order.
    struct Result: Sendable {
        let played: PlayedOrder
        /// The outcomes on the device, payment by payment.
        var published: [OrderEnd.Outcome]
        /// From sending the first token to its outcome.
        var latency: Duration
        /// Card numbers, cryptograms and personal data that must not appear anywhere.
        let secrets: [String]
    }

    func play() async throws -> Result {
        let opened = try await shop.open(script, run: run)
        var ticket = opened.ticket
        let worker = script.number
        var token = try await mint(opened.order)
        var tokens = [token]
        var start = ContinuousClock.now
        let published: [OrderEnd.Outcome]
        var isCancelTaken = true
        // Child tasks need copies that do not change any more.
        let (first, ticketAtFirst) = (token, ticket)
        switch script.scenario {
        case .repriced, .oldTicket:
            let dearer = try await device.change(.shippingMethod("express"), opened.order, ticket, worker: worker)
                .ticket
            if script.scenario == .repriced {
                ticket = dearer
                token = try await mint(opened.order, amount: script.changedTotals?.total)
                tokens = [token]
            }
            start = .now
            published = [try await settle(token, opened.order, ticket)]
        case .coupon, .address, .cardType:
            ticket = try await changeSheet(opened.order, ticket)
            token = try await mint(opened.order, amount: script.changedTotals?.total)
            tokens = [token]
            start = .now
            published = [try await settle(token, opened.order, ticket)]
        case .duplicateToken:
            async let here = settle(first, opened.order, ticketAtFirst, worker: worker)
            async let there = settle(first, opened.order, ticketAtFirst, worker: worker + 1)
            let both = try await (here, there)
            published = [both.0 == both.1 ? both.0 : .other("\(both.0.text) and \(both.1.text) for one token")]
        case .twoTokens:
            let second = try await mint(opened.order)
            tokens.append(second)
            start = .now
            async let one = settle(first, opened.order, ticketAtFirst, worker: worker)
            async let other = settle(second, opened.order, ticketAtFirst, worker: worker + 1)
            published = try await [one, other]
        case .secondTry:
            let declined = try await settle(first, opened.order, ticket)
            ticket = try await device.change(.shippingMethod("express"), opened.order, ticket, worker: worker).ticket
            tokens.append(try await mint(opened.order, amount: script.changedTotals?.total))
            start = .now
            published = [declined, try await settle(tokens[1], opened.order, ticket)]
        case .lateSuccess:
            published = [try await payAndBeDeclined(first, opened.order, ticket)]
        case .waitedTooLong:
            let payment = try await lateCommands.send(
                tokens[0], order: opened.order, script: script, shop: merchant)
            published = [try await outcome(payment, opened.order, ticket)]
        case .cancelled:
            try await shop.cancel(opened.order, worker: worker)
            _ = try await shop.waitUntilClosed(opened.order)
            start = .now
            published = [try await settle(first, opened.order, ticket)]
        case .expired:
            tokens = []
            guard try await shop.waitUntilClosed(opened.order) == "expired" else {
                throw DemoError("order \(opened.order) did not expire")
            }
            try await device.checkTicketEnded(opened.order, ticket, worker: worker)
            published = []
        case .cancelRace:
            let lead = cancelLead.time
            async let cancelled = cancel(opened.order, worker: worker, after: .zero - lead)
            try await Task.sleep(for: max(lead, .zero))
            start = .now
            let outcome = try await settle(first, opened.order, ticketAtFirst)
            isCancelTaken = try await cancelled
            cancelLead.raced(chargeWon: outcome.charged > 0)
            published = [outcome]
        default:
            published = [try await settle(first, opened.order, ticket)]
        }
        let latency = ContinuousClock.now - start
        if published.contains(where: \.isPaid) {
            try await shop.checkContact(of: opened.order, customer, worker: worker)
            if worker % Self.erasedShare == 0 { try await shop.eraseContact(of: opened.order, worker: worker) }
        }
        try await shop.follow(
            opened.order, script.followUpsByDay.trading, currency: script.totals.currency, run: run, worker: worker)
        let played = PlayedOrder(
            script: script, order: opened.order,
            payments: tokens.map { PaymentID(merchant: merchant.id, transactionID: $0.transactionID) },
            isCancelTaken: isCancelTaken)
        return Result(
            played: played, published: published, latency: latency,
            secrets: tokens.flatMap(\.secrets) + customer.secrets)
    }

    /// Plays what the shop does when the acquirer's day is over.
    func playEvening(of order: OrderID) async throws {
        try await shop.follow(
            order, script.followUpsByDay.evening, currency: script.totals.currency, run: run + "-evening",
            worker: script.number)
    }

    /// Plays the sheet's callbacks: what cannot be accepted first, then what can.
    ///
    /// - Returns: the ticket of the last price.
    private func changeSheet(_ order: OrderID, _ ticket: String) async throws -> String {
        let changes: [(change: Device.Change, error: String?)] =
            switch script.scenario {
            case .coupon: [(.couponCode("NONE"), "couponCodeInvalid"), (.couponCode("tea-week"), nil)]
            case .address:
                [
                    (.country("JP", area: nil), "addressUnserviceable"),
                    (.country("CN", area: customer.administrativeArea), nil),
                ]
            default: [(.cardType("credit"), nil)]
            }
        var ticket = ticket
        for (change, error) in changes {
            let answer = try await device.change(change, order, ticket, worker: script.number)
            guard answer.error == error else {
                throw DemoError("the sheet of \(order) was answered with \(answer.error ?? "no error")")
            }
            ticket = answer.ticket
        }
        return ticket
    }

    private func cancel(_ order: OrderID, worker: Int, after delay: Duration) async throws -> Bool {
        try await Task.sleep(for: max(delay, .zero))
        return try await shop.cancel(order, worker: worker)
    }

    /// Sends a token and waits for the outcome.
    private func settle(
        _ token: MintedToken, _ order: OrderID, _ ticket: String, worker: Int? = nil
    ) async throws -> OrderEnd.Outcome {
        switch try await device.pay(
            token, contact: customer.contact, ticket: ticket, worker: worker ?? script.number)
        {
        case .rejected(let stage): .rejected(stage: stage)
        case .accepted(let payment): try await outcome(payment, order, ticket)
        }
    }

    /// Sends a token that is declined first, and waits until the money has moved all the same.
    private func payAndBeDeclined(
        _ token: MintedToken, _ order: OrderID, _ ticket: String
    ) async throws -> OrderEnd.Outcome {
        switch try await device.pay(token, contact: customer.contact, ticket: ticket, worker: script.number) {
        case .rejected(let stage): return .rejected(stage: stage)
        case .accepted(let payment):
            try await shop.waitUntilGivenBack(order, worker: script.number)
            return try await device.lateOutcome(
                of: payment, order: order, ticket: ticket, worker: script.number, within: timeout)
        }
    }

    private func outcome(_ payment: PaymentID, _ order: OrderID, _ ticket: String) async throws -> OrderEnd.Outcome {
        try await device.outcome(
            of: payment, order: order, ticket: ticket, worker: script.number, within: timeout)
    }

    private func mint(_ order: OrderID, amount: Int64? = nil) async throws -> MintedToken {
        var request = MintRequest(
            merchant: merchant.appleIdentifier, amount: amount ?? script.totals.total,
            currency: script.totals.currency.code)
        request.scheme = script.usesRSA ? .rsa : .ec
        request.content = script.usesRSA ? .emvWithPIN : .emv
        request.applicationData = Array(order.description.utf8)
        switch script.scenario {
        case .cryptogram:
            request.content = .threeDSecure
            request.network = .visa
        case .wrongAmount: request.amount += 1
        case .otherOrder:
            let other = try await shop.open(script, run: run + "-other")
            request.applicationData = Array(other.order.description.utf8)
        case .forgedToken: return try await device.wallet.mint(request, fault: .forgedSignature)
        default: break
        }
        return try await device.wallet.mint(request)
    }
}
