import Foundation

#if canImport(PassKit)
    @preconcurrency import PassKit
#else
    import PassKitStub
#endif

/// What the sheet asks while it is open. Each question is answered within its 30 seconds.
extension OrderPayment: PKPaymentAuthorizationControllerDelegate {
    public func paymentAuthorizationController(
        _ controller: PKPaymentAuthorizationController, didSelectShippingContact contact: PKContact
    ) async -> PKPaymentRequestShippingContactUpdate {
        let answer = await change("shipping-contact", ["shippingContact": Contact(contact)])
        let update = PKPaymentRequestShippingContactUpdate(
            errors: answer?.sheetErrors, paymentSummaryItems: items, shippingMethods: methods)
        if answer == nil { update.status = .failure }
        return update
    }

    public func paymentAuthorizationController(
        _ controller: PKPaymentAuthorizationController, didSelectShippingMethod shippingMethod: PKShippingMethod
    ) async -> PKPaymentRequestShippingMethodUpdate {
        let answer = await change("shipping-method", ["shippingMethod": shippingMethod.identifier ?? ""])
        let update = PKPaymentRequestShippingMethodUpdate(paymentSummaryItems: items)
        if answer == nil { update.status = .failure }
        return update
    }

    public func paymentAuthorizationController(
        _ controller: PKPaymentAuthorizationController, didSelectPaymentMethod paymentMethod: PKPaymentMethod
    ) async -> PKPaymentRequestPaymentMethodUpdate {
        let answer = await change("payment-method", ["paymentMethod": CardClaim(paymentMethod)])
        let update = PKPaymentRequestPaymentMethodUpdate(errors: answer?.sheetErrors, paymentSummaryItems: items)
        if answer == nil { update.status = .failure }
        return update
    }

    public func paymentAuthorizationController(
        _ controller: PKPaymentAuthorizationController, didChangeCouponCode couponCode: String
    ) async -> PKPaymentRequestCouponCodeUpdate {
        let answer = await change("coupon-code", ["couponCode": couponCode])
        // A wrong code leaves the order without one.
        if let answer { coupon = answer.errors == nil && !couponCode.isEmpty ? couponCode : nil }
        let update = PKPaymentRequestCouponCodeUpdate(
            errors: answer?.sheetErrors, paymentSummaryItems: items, shippingMethods: methods)
        if answer == nil { update.status = .failure }
        return update
    }

    public func paymentAuthorizationController(
        _ controller: PKPaymentAuthorizationController, didAuthorizePayment payment: PKPayment
    ) async -> PKPaymentAuthorizationResult {
        await pay(payment)
    }

    /// After success, after a time-out, and when the customer has had enough: PassKit does not say which.
    public func paymentAuthorizationControllerDidFinish(_ controller: PKPaymentAuthorizationController) {
        Task {
            await controller.dismiss()
            finish()
        }
    }

    /// Asks order-ledger what the customer's choice changes. The new price comes with a new ticket.
    ///
    /// - Returns: nil when there is no answer; the sheet keeps what it shows.
    private func change(_ route: String, _ body: some Encodable & Sendable) async -> SheetAnswer.Update? {
        let end = ContinuousClock.now + timeLimit
        do {
            let answer: SheetAnswer
            do {
                answer = try await api.change(route, body, of: order, until: end)
            } catch let problem as Problem where problem.code == "ticket-expired" {
                order.ticket = try await api.ticket(of: order, until: end)
                answer = try await api.change(route, body, of: order, until: end)
            }
            order.ticket = answer.ticket
            items = answer.passKitUpdate.paymentSummaryItems.map { $0.item() }
            if let offered = answer.passKitUpdate.shippingMethods { methods = offered.map { $0.method() } }
            return answer.passKitUpdate
        } catch { return nil }
    }
}

extension SheetAnswer.Update {
    fileprivate var sheetErrors: [any Error]? { errors?.map { $0.error() } }
}
