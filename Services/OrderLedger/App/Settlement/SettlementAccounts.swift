import Contracts
import Ledger

/// The accounts of the merchants at acquirers.
struct SettlementAccounts: Sendable {
    struct Account: Hashable, Sendable {
        let merchant: MerchantID
        let acquirer: String
        let account: String

        func day(_ date: SettlementDate) -> SettlementDay {
            SettlementDay(merchant: merchant, acquirer: acquirer, account: account, date: date)
        }
    }

    /// Each once, in the order of `merchants.json`.
    let all: [Account]

    init(_ registry: MerchantRegistry) {
        var seen: Set<Account> = []
        all = registry.merchants.flatMap { merchant in
            merchant.routes.map { Account(merchant: merchant.id, acquirer: $0.acquirer, account: $0.account) }
        }.filter { seen.insert($0).inserted }
    }

    /// By account number, for files that name nothing else.
    var owners: [String: PayOutFile.Owner] {
        Dictionary(all.map { ($0.account, PayOutFile.Owner(merchant: $0.merchant, acquirer: $0.acquirer)) }) {
            first, _ in
            first
        }
    }
}
