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

    private let currencies: [Account: Set<Currency>]

    init(_ registry: MerchantRegistry) {
        let routes = registry.merchants.flatMap { merchant in
            merchant.routes.map {
                (Account(merchant: merchant.id, acquirer: $0.acquirer, account: $0.account), Set($0.currencies))
            }
        }
        currencies = Dictionary(routes) { $0.union($1) }
        var seen: Set<Account> = []
        all = routes.map(\.0).filter { seen.insert($0).inserted }
    }

    /// By account number, for files that name nothing else. Two acquirers may have given out the same one.
    var owners: [String: [PayOutFile.Owner]] {
        Dictionary(grouping: all, by: \.account).mapValues { accounts in
            accounts.map {
                PayOutFile.Owner(
                    merchant: $0.merchant, acquirer: $0.acquirer, currencies: currencies[$0, default: []])
            }
        }
    }
}
