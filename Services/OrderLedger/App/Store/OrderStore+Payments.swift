import Contracts
import Ledger
import OrchardPostgres
import Outbox

extension OrderStore {
    /// The columns of `payments p`. Never `*`: a column that a later migration adds would break the prepared statements
    /// of a running service.
    static let paymentColumns = """
        p.partition, p.order_id, p.payment_id, p.status, p.transition, p.revision, p.currency, p.amount, p.network, p.last_four,
        p.payment_data, p.reason, p.acquirer, p.account, p.order_number, p.transaction_time, p.code, p.serial,
        p.settlement_date, p.expires_at
        """
    /// The columns of `follow_ups f`.
    static let followUpColumns = """
        f.partition, f.order_id, f.operation_id, f.payment_id, f.kind, f.target, f.command_id, f.currency, f.amount,
        f.given_subtotal, f.given_discount, f.given_shipping, f.given_tax, f.booked_subtotal, f.booked_discount,
        f.booked_shipping, f.booked_tax, f.status, f.transition, f.reason, f.acquirer, f.account, f.order_number,
        f.transaction_time, f.code, f.serial, f.settlement_date, f.voided_by
        """

    static func payment(_ row: PostgresRow) throws -> PaymentState {
        let network = try row.optionalWord("network", as: CardNetwork.self)
        if network == nil { try row.requireNull(["last_four", "payment_data"]) }
        let card = try network.map { network in
            let card = CardSummary(
                network: network, lastFour: try row.string("last_four"), paymentData: try row.word("payment_data"))
            guard let card else { throw StoreError(.malformed, at: "payments.last_four", "four digits are expected") }
            return card
        }
        let reference = try row.acquirerReference()
        return PaymentState(
            payment: try row.identifier("payment_id"), status: try row.word("status"),
            transition: try row.int64("transition"), revision: try row.int64("revision"),
            amount: Money(minorUnits: try row.int64("amount"), currency: try row.currency("currency")),
            card: card, reference: reference, reason: try row.optionalString("reason"),
            result: try row.acquirerResult(reference), expiresAt: try row.optionalTime("expires_at"))
    }

    static func followUp(_ row: PostgresRow) throws -> FollowUpState {
        let payment: PaymentID = try row.identifier("payment_id")
        let currency = try row.currency("currency")
        let command: CommandID? = try row.optionalIdentifier("command_id")
        let reference = try row.acquirerReference()
        let result = try row.acquirerResult(reference)
        guard reference == nil || result != nil else {
            throw StoreError(.malformed, at: "follow_ups.code", "the acquirer's number is there without its answer")
        }
        return FollowUpState(
            operation: try row.identifier("operation_id"), payment: payment, kind: try row.word("kind"),
            target: try row.optionalWord("target"), cause: command.map { .command($0) } ?? .lateSuccess(payment),
            amount: Money(minorUnits: try row.int64("amount"), currency: currency),
            parts: try row.parts("given", currency), status: try row.word("status"),
            transition: try row.int64("transition"), reason: try row.optionalString("reason"),
            result: result,
            booked: try row.booked(currency), voidedBy: try row.optionalIdentifier("voided_by"))
    }
}

extension PostgresRow {
    /// The parts of an amount in the columns `…_subtotal` and so on; nil when all of them are NULL.
    fileprivate func parts(_ prefix: String, _ currency: Currency) throws -> OfferTotals? {
        let columns = ["subtotal", "discount", "shipping", "tax"].map { "\(prefix)_\($0)" }
        let parts = try columns.compactMap { try optionalInt64($0) }
        if parts.isEmpty { return nil }
        guard parts.count == columns.count,
            let totals = OfferTotals(
                currency: currency, subtotal: parts[0], discount: parts[1], shipping: parts[2], tax: parts[3])
        else { throw StoreError(.malformed, at: "follow_ups.\(prefix)_subtotal", "the parts do not add up") }
        return totals
    }

    /// The parts that were booked: the entries that undo them are made from these.
    fileprivate func booked(_ currency: Currency) throws -> OfferTotals? {
        let parts = try parts("booked", currency)
        guard parts.map(PostingRules.canPost) ?? true else {
            throw StoreError(.malformed, at: "follow_ups.booked_subtotal", "the parts are none that can be booked")
        }
        return parts
    }

    fileprivate func acquirerReference() throws -> AcquirerReference? {
        guard let acquirer = try optionalString("acquirer") else {
            try requireNull(["account", "order_number"])
            guard try optionalTime("transaction_time") == nil else {
                throw StoreError(.malformed, at: "transaction_time", "the column is set without an acquirer")
            }
            return nil
        }
        return AcquirerReference(
            acquirer: acquirer, account: try string("account"), orderNumber: try string("order_number"),
            time: try time("transaction_time"))
    }

    fileprivate func acquirerResult(_ reference: AcquirerReference?) throws -> AcquirerResult? {
        guard let code = try optionalString("code") else {
            try requireNull(["serial", "settlement_date"])
            return nil
        }
        guard let reference else {
            throw StoreError(.malformed, at: "code", "the column is set without an acquirer reference")
        }
        return AcquirerResult(
            reference: reference, code: code, serial: try optionalString("serial"),
            settlementDate: try optionalString("settlement_date"))
    }
}
