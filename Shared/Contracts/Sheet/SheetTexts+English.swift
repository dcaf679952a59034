extension SheetTexts {
    static let english = SheetTexts(
        subtotal: "Subtotal", discount: "Discount", shipping: "Shipping", tax: "Tax",
        payee: { "\($0) (via \($1))" },
        addressUnserviceable: "We do not deliver to this address.",
        addressChanged: "Shipping to this address costs something else. Please choose the address again.",
        couponCodeInvalid: "This coupon code is not valid for this order.",
        couponCodeExpired: "This coupon code has expired.",
        cardTypeNotAccepted: "This type of card cannot pay this order. Please choose another card.",
        cardNotAccepted: "This card cannot pay this order. Please choose another card.",
        nameMissing: "Please enter a name.",
        phoneticNameMissing: "Please enter how the name is pronounced.",
        phoneMissing: "Please enter a telephone number.",
        emailMissing: "Please enter an e-mail address.",
        countryMissing: "Please choose the country of the address.",
        streetMissing: "Please enter the street.",
        cityMissing: "Please enter the city.",
        orderTaken: "This order is already being paid or is closed.",
        declined: "The payment was declined. You were not charged.",
        confirming: "We are confirming your payment.",
        holdEnded: "The hold on your card has ended. You were not charged.")
}
