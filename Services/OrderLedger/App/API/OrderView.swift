import Contracts
import Ledger
import OrchardJSON
import Outbox

/// What `GET /v1/orders/{id}` shows: the offer in force and the state of the order.
struct OrderView {
    let id: OrderID
    let merchant: MerchantID
    let status: OrderStatus
    /// The shop's request; nil when only the books have the order, because a database was lost.
    let offered: OfferedOrder?
    /// The final lines of an order whose total was pending.
    let final: FinalOffer?
    /// The state that the fold knows; nil until the order's opening has come back through the journal.
    let state: OrderState?
    let commands: [StoredCommand]
    /// Attempts that token-ingest rejected.
    let rejectedAttempts: Int64
    var fulfilments: [Fulfilment] = []
    /// nil until it was read.
    var history: OrderHistory?
    /// When the shop opened it; nil when only the books have the order.
    var createdAt: Timestamp?
    /// Whether the reader is the shop: metadata and the acquirer's numbers are its own.
    var isForShop = false

    private let revision: Int64
    let shippingMethod: String?
    private let totals: OfferTotals

    /// An order that the API's tables have.
    init(
        _ order: OfferedOrder, _ final: FinalOffer?, _ state: OrderState?, _ commands: [StoredCommand],
        rejectedAttempts: Int64
    ) throws(StoreError) {
        (id, merchant, status, offered, self.final) = (order.id, order.merchant, order.status, order, final)
        (self.state, self.commands, self.rejectedAttempts) = (state, commands, rejectedAttempts)
        // The order shows its final lines, else the paid offer; before payment, the newest one.
        if state?.finalRevision != nil, let booked = state?.offer {
            (revision, shippingMethod, totals) = (booked.revision, booked.shippingMethod, booked.totals)
        } else if let final {
            let offer = try final.offer()
            (revision, shippingMethod, totals) = (offer.revision, offer.choice.shippingMethod, offer.totals)
        } else if state?.paidBy != nil, let paid = state?.offer {
            (revision, shippingMethod, totals) = (paid.revision, paid.shippingMethod, paid.totals)
        } else {
            (revision, shippingMethod) = (order.revision, order.choice.shippingMethod)
            totals = try order.offer().totals
        }
    }

    /// An order that only the books have; nil until they have its opening.
    init?(_ state: OrderState, _ commands: [StoredCommand], rejectedAttempts: Int64) {
        guard let status = state.status, let merchant = state.merchant, let offer = state.offer else { return nil }
        (id, self.merchant, self.status, offered, final) = (state.id, merchant, status, nil, nil)
        (self.state, self.commands, self.rejectedAttempts) = (state, commands, rejectedAttempts)
        (revision, shippingMethod, totals) = (offer.revision, offer.shippingMethod, offer.totals)
    }

    /// The whole answer.
    var json: [UInt8] {
        JSONWriter.object { object in
            writeAmounts(to: &object)
            if let mode = offered?.request.captureMode { object.member("captureMode", mode.rawValue) }
            object.array("commands") { array in
                for command in commands { array.object { write(command, to: &$0) } }
            }
            object.member("createdAt", (createdAt ?? history?.openedAt)?.description)
            writeDiscounts(to: &object)
            object.member("expiresAt", offered?.request.expiresAt?.description)
            writeExtraLines(to: &object)
            writeFollowUps(to: &object)
            if !fulfilments.isEmpty {
                object.array("fulfilments") { array in
                    for fulfilment in fulfilments { array.object { fulfilment.write(to: &$0) } }
                }
            }
            writeLines(to: &object)
            object.member("merchantId", merchant.description)
            if isForShop, let metadata = offered?.request.metadata, !metadata.isEmpty {
                object.member("metadata", .object(metadata.map { JSONMember($0.key, .string($0.value)) }))
            }
            object.member("orderId", id.description)
            object.member("paidAt", state?.paidBy.flatMap { history?.payments[$0]?.chargedAt }?.description)
            object.array("payments") { array in
                for payment in state?.payments ?? [] { array.object { write(payment, to: &$0) } }
            }
            if offered?.request.isTotalPending == true { object.member("pendingTotal", final == nil) }
            object.member("reference", offered?.request.reference)
            object.member("rejectedAttempts", rejectedAttempts)
            object.member("revision", revision)
            writeShipping(to: &object)
            object.member("shippingMethod", shippingMethod)
            object.member("status", status.rawValue)
            object.object("totals") { totals.write(to: &$0) }
            object.member("updatedAt", (history?.updatedAt ?? createdAt)?.description)
        }
    }
}
