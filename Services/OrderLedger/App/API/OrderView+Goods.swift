import Contracts
import Ledger
import OrchardJSON

/// What a confirmation says of the goods. Coupon codes are not shown: a device would get the list.
extension OrderView {
    /// The shop's request, with its final lines where it has them; nil when only the books have the order.
    private var goods: OfferRequest? { final?.request ?? offered?.request }

    func writeDiscounts(to object: inout JSONObjectWriter) {
        guard let request = goods, !request.discounts.isEmpty else { return }
        object.array("discounts") { array in
            for discount in request.discounts { array.object { discount.write(to: &$0, in: request.currency) } }
        }
    }

    func writeExtraLines(to object: inout JSONObjectWriter) {
        guard let request = goods, !request.extraLines.isEmpty else { return }
        object.array("extraLines") { array in
            for line in request.extraLines { array.object { line.write(to: &$0, in: request.currency) } }
        }
    }

    func writeLines(to object: inout JSONObjectWriter) {
        guard let request = goods else { return }
        object.array("lines") { array in
            for line in request.lines { array.object { line.write(to: &$0, in: request.currency) } }
        }
    }

    /// How and when the goods arrive, or where they wait.
    func writeShipping(to object: inout JSONObjectWriter) {
        guard let request = goods,
            let method = request.shippingMethods.first(where: { $0.identifier == shippingMethod })
        else { return }
        object.object("shipping") { object in
            if let arrival = method.arrival { object.object("arrival") { arrival.write(to: &$0) } }
            if !method.detail.isEmpty { object.member("detail", method.detail) }
            object.member("label", method.label)
            if let pickup = request.pickup { object.object("pickup") { pickup.write(to: &$0) } }
            object.member("type", request.shippingType?.rawValue)
        }
    }
}
