import Charging
import Contracts
import OrchardCrypto

extension UnionPay {
    /// The sale of a charge: `backTransReq.do`, txnType 01.
    func sale(
        of charge: Charge, _ card: borrowing CardData, as key: TransactionKey
    ) throws(RequestError) -> SecretBytes {
        guard charge.amount.minorUnits > 0, charge.amount.minorUnits < 1_000_000_000_000 else {
            throw RequestError(unsendable: "the amount does not fit into UnionPay's twelve digits")
        }
        guard charge.amount.currency == .cny else {
            throw RequestError(unsendable: "UnionPay's domestic sale takes CNY alone; correct the merchant's routes")
        }
        var request = request(txnType: "01", txnSubType: "01", product: configuration.saleProduct, key)
        request.set("channelType", "08")
        request.set("currencyCode", charge.amount.currency.numeric)
        request.set("txnAmt", String(charge.amount.minorUnits))
        request.set("backUrl", configuration.notifications)
        request.set("reqReserved", charge.reserved)
        try request.set(card, configuration)
        return try signed(request, as: key)
    }

    /// The query for a transaction: `queryTrans.do`, txnType 00.
    func query(for key: TransactionKey) throws(RequestError) -> SecretBytes {
        let request = request(txnType: "00", txnSubType: "00", product: configuration.queryProduct, key)
        return try signed(request, as: key)
    }

    /// The charge's key at UnionPay and who signs for it.
    func key(of charge: Charge) throws(RequestError) -> TransactionKey {
        guard let reference = charge.reference, reference.acquirer == name else {
            throw RequestError("the charge is not routed to UnionPay")
        }
        guard let merchant = merchants[reference.account] else {
            throw RequestError("no route of merchants.json has the account \(reference.account) any more; add it again")
        }
        return TransactionKey(reference: reference, merchant: merchant)
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
    /// Whether the charge itself is why, so that no later try can succeed; else our set-up is.
    let isPermanent: Bool

    /// A fault of our set-up, which somebody can mend.
    init(_ reason: String) {
        self.reason = reason
        isPermanent = false
    }

    /// A charge that the acquirer's form cannot hold.
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
