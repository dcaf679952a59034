import Charging
import Contracts
import OrchardCrypto

extension UnionPay {
    /// The sale or authorisation of a charge: `backTransReq.do`, txnType 01 or 02.
    func request(
        of charge: Charge, _ card: borrowing CardData, as key: TransactionKey
    ) throws(RequestError) -> SecretBytes {
        var request = try request(
            TransactionType(charge), of: charge.amount, reserved: charge.reserved, product: configuration.saleProduct,
            key)
        request.set("currencyCode", charge.amount.currency.numeric)
        try request.set(card, configuration)
        return try signed(request, as: key)
    }

    /// A follow-up: `backTransReq.do`, txnType 03, 04, 31, 32 or 33. It has no card and no currency: they are the
    /// original's.
    ///
    /// Each names its original by `queryId`. A refund may name it by our own key instead.
    func request(
        of followUp: FollowUp, _ type: TransactionType, as key: TransactionKey
    ) throws(RequestError) -> SecretBytes {
        var request = try request(
            type, of: followUp.amount, reserved: followUp.reserved, product: configuration.followUpProduct, key)
        if let serial = followUp.originalSerial, Self.isSerial(serial) {
            request.set("origQryId", serial)
        } else if type == .refund {
            request.set("origOrderId", followUp.original.orderNumber)
            request.set("origTxnTime", followUp.original.time.transactionTime)
        } else {
            throw RequestError(unsendable: "UnionPay's queryId of the original transaction is not known")
        }
        return try signed(request, as: key)
    }

    /// The query for a transaction: `queryTrans.do`, txnType 00.
    func query(for key: TransactionKey) throws(RequestError) -> SecretBytes {
        let request = request(txnType: "00", txnSubType: "00", product: configuration.queryProduct, key)
        return try signed(request, as: key)
    }

    /// An operation's key at UnionPay and who signs for it.
    func key(of reference: AcquirerReference?) throws(RequestError) -> TransactionKey {
        guard let reference, reference.acquirer == name else {
            throw RequestError("the operation is not routed to UnionPay")
        }
        guard let merchant = merchants[reference.account] else {
            throw RequestError("no route of merchants.json has the account \(reference.account) any more; add it again")
        }
        return TransactionKey(reference: reference, merchant: merchant)
    }

    /// What every transaction of money has.
    private func request(
        _ type: TransactionType, of amount: Money, reserved: String, product: String, _ key: TransactionKey
    ) throws(RequestError) -> ACPRequest {
        guard amount.minorUnits > 0, amount.minorUnits < 1_000_000_000_000 else {
            throw RequestError(unsendable: "the amount does not fit into UnionPay's twelve digits")
        }
        guard amount.currency == .cny else {
            throw RequestError(unsendable: "UnionPay's domestic product takes CNY alone; correct the merchant's routes")
        }
        var request = request(txnType: type.txnType, txnSubType: type.txnSubType, product: product, key)
        request.set("channelType", "08")
        request.set("txnAmt", String(amount.minorUnits))
        request.set("backUrl", configuration.notifications)
        request.set("reqReserved", reserved)
        return request
    }

    /// A `queryId` has 21 digits.
    private static func isSerial(_ text: String) -> Bool {
        text.utf8.count == 21 && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    private func request(
        txnType: String, txnSubType: String, product: String, _ key: TransactionKey
    ) -> ACPRequest {
        var request = ACPRequest()
        request.set("version", "5.1.0")
        request.set("encoding", "UTF-8")
        request.set("signMethod", "01")
        request.set("accessType", "0")
        request.set("txnType", txnType)
        request.set("txnSubType", txnSubType)
        request.set("bizType", product)
        request.set("merId", key.reference.account)
        request.set("orderId", key.reference.orderNumber)
        request.set("txnTime", key.reference.time.transactionTime)
        return request
    }

    private func signed(
        _ request: consuming ACPRequest, as key: TransactionKey
    ) throws(RequestError) -> SecretBytes {
        do throws(CryptoError) {
            return try request.form(signedBy: key.merchant)
        } catch {
            throw RequestError("the request cannot be signed: \(error)")
        }
    }
}

/// Why a request cannot be made; nothing has been sent then.
struct RequestError: Error, Hashable, Sendable {
    /// Without anything of the card.
    let reason: String
    /// Whether the operation itself is why, so that no later try can succeed; else our set-up is.
    let isPermanent: Bool

    /// A fault of our set-up, which somebody can mend.
    init(_ reason: String) {
        self.reason = reason
        isPermanent = false
    }

    /// An operation that the acquirer's form cannot hold.
    init(unsendable reason: String) {
        self.reason = reason
        isPermanent = true
    }
}

/// A transaction's key at UnionPay (merId, orderId, txnTime), and the merchant who signs for it.
struct TransactionKey: Sendable {
    let reference: AcquirerReference
    let merchant: UnionPayMerchant
}
