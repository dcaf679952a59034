import Contracts

/// A transaction's key at UnionPay (merId, orderId, txnTime), and the merchant who signs for it.
struct TransactionKey: Sendable {
    let reference: AcquirerReference
    let merchant: UnionPayMerchant
}
