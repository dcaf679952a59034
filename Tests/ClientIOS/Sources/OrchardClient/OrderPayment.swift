import Foundation

#if canImport(PassKit)
    @preconcurrency import PassKit
#else
    import PassKitStub
#endif

/// An order that is paid with Apple Pay: shows the sheet, answers its questions and sends the token.
///
/// Keep it as long as the order is on the screen. `present()` may be called again after the customer has dismissed the
/// sheet.
@MainActor
public final class OrderPayment: NSObject {
    /// What the app shows when the sheet has gone.
    public enum Outcome: Equatable, Sendable {
        /// Money has moved, or is held for the shop.
        case paid
        /// Nobody knows yet: show "confirming", and ``confirm()`` waits for the end. Never say that it failed.
        case confirming
        /// Nothing was taken. The message is for the customer.
        case declined(String?)
        /// The customer has dismissed the sheet. The order stays open.
        case dismissed
    }

    /// Apple gives up after 30 seconds: the answer must be there before.
    public var timeLimit = Duration.seconds(25)

    let api: OrchardAPI
    /// With the ticket of the newest price.
    var order: OpenedOrder
    /// What the sheet shows: as the order was opened, and then as the customer has changed it.
    var items: [PKPaymentSummaryItem]
    var methods: [PKShippingMethod]
    var coupon: String?

    private var sheet: PKPaymentAuthorizationController?
    private var outcome = Outcome.dismissed
    private var finished: CheckedContinuation<Outcome, Never>?
    /// The newest token as it is sent, and sent again if no answer comes.
    private var token = Data()
    /// Whether the token was sent, and nobody knows whether it arrived.
    private var isUncertain = false
    /// nil until the token was taken.
    private var paymentID: String?

    public init(_ order: OpenedOrder, _ api: OrchardAPI) {
        (self.order, self.api) = (order, api)
        let request = order.passKitRequest.request()
        (items, methods, coupon) = (request.paymentSummaryItems, request.shippingMethods ?? [], request.couponCode)
    }

    /// Shows the sheet, and returns when it has gone.
    public func present() async -> Outcome {
        // What may have been paid is not paid again.
        if outcome == .paid || outcome == .confirming { return outcome }
        outcome = .dismissed
        let request = order.passKitRequest.request()
        // The ticket is for the newest price, so the sheet starts with it.
        (request.paymentSummaryItems, request.couponCode) = (items, coupon)
        if !methods.isEmpty { request.shippingMethods = methods }
        let sheet = PKPaymentAuthorizationController(paymentRequest: request)
        sheet.delegate = self
        self.sheet = sheet
        return await withCheckedContinuation { continuation in
            finished = continuation
            Task { if await !sheet.present() { finish() } }
        }
    }

    /// The sheet has gone. Nothing is cancelled: the customer may open it again.
    func finish() {
        finished?.resume(returning: outcome)
        (finished, sheet) = (nil, nil)
    }

    /// The customer has authorised the payment.
    func pay(_ payment: PKPayment) async -> PKPaymentAuthorizationResult {
        guard let body = try? PaymentBody(payment).data() else { return result(.failure) }
        (token, isUncertain, paymentID) = (body, false, nil)
        // If the sheet goes before the end, this is what is known.
        outcome = .confirming
        return await settle(until: .now + timeLimit)
    }

    /// Waits for the end of a payment that is being confirmed, for as long as the task lives.
    public func confirm() async -> Outcome {
        while outcome == .confirming, !Task.isCancelled {
            _ = await settle(until: .now + timeLimit)
            if outcome == .confirming { try? await Task.sleep(for: api.pause) }
        }
        return outcome
    }

    /// Sends the token, again if its answer is lost, and waits for the outcome.
    private func settle(until end: ContinuousClock.Instant) async -> PKPaymentAuthorizationResult {
        do {
            let payment = if let paymentID { paymentID } else { try await send(until: end) }
            paymentID = payment
            while case let left = Int((end - .now) / .seconds(1)), left > 0 {
                let answer = try await api.payment(payment, of: order, wait: min(left, 25), until: end + .seconds(2))
                guard answer.final else { continue }
                let status = PKPaymentAuthorizationStatus(rawValue: answer.applePay.passKit.status) ?? .failure
                outcome = status == .success ? .paid : .declined(answer.message)
                return result(status, answer.applePay.passKit.errors)
            }
        } catch let problem as Problem where paymentID == nil && !isUncertain {
            // Refused, so that nothing is taken: the sheet shows why.
            let errors = problem.applePay?.passKit.errors ?? []
            outcome = .declined(errors.first?.localizedDescription)
            return result(.failure, errors)
        } catch let lost as OrchardAPI.Unanswered where paymentID == nil {
            isUncertain = isUncertain || lost.mayHaveArrived
            if !isUncertain {
                outcome = .declined(nil)
                return result(.failure)
            }
        } catch {}
        // Money may have moved. A customer who sees a failure pays again.
        return result(.success)
    }

    /// Sends the token; once more with a fresh ticket if the customer has looked at the sheet for too long.
    private func send(until end: ContinuousClock.Instant) async throws -> String {
        do {
            return try await api.pay(token, for: order, isRepeated: isUncertain, until: end)
        } catch let problem as Problem where problem.code == "payment-late" {
            // This token was never sent before, so nothing is taken.
            guard let ticket = try? await api.ticket(of: order, until: end) else { throw problem }
            order.ticket = ticket
            return try await api.pay(token, for: order, isRepeated: isUncertain, until: end)
        }
    }

    private func result(
        _ status: PKPaymentAuthorizationStatus, _ errors: [SheetError] = []
    ) -> PKPaymentAuthorizationResult {
        PKPaymentAuthorizationResult(status: status, errors: errors.map { $0.error() })
    }
}
