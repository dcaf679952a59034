extension SheetTexts {
    static let english = SheetTexts(
        subtotal: "Subtotal", discount: "Discount", shipping: "Shipping", tax: "Tax",
        payee: { "\($0) (via \($1))" },
        addressUnserviceable: "We do not deliver to this address.",
        couponCodeInvalid: "This coupon code is not valid for this order.",
        couponCodeExpired: "This coupon code has expired.",
        cardTypeNotAccepted: "This type of card cannot pay this order. Please choose another card.",
        orderTaken: "This order is already being paid or is closed.",
        declined: "The payment was declined. You were not charged.",
        confirming: "We are confirming your payment.")
}
