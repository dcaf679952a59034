import Acquirers
import Charging
import Contracts

/// An account whose acquirer tells by file what it settled.
struct SettlementAccount: Sendable {
    /// Whose routes lead there: an account has one merchant (`MerchantRegistry`).
    let merchant: MerchantID
    let account: String
    let source: any SettlementSource

    var acquirer: String { source.name }

    func day(_ date: SettlementDate) -> SettlementDay {
        SettlementDay(merchant: merchant, acquirer: acquirer, account: account, date: date)
    }

    /// The accounts of which files can be fetched, each once.
    static func all(_ merchants: GatewayMerchants) -> [SettlementAccount] {
        var seen: Set<[String]> = []
        return merchants.registry.merchants.flatMap { merchant in
            merchant.routes.compactMap { route in
                guard let source = merchants.directory[route.acquirer] as? any SettlementSource,
                    source.settlesByFile(route.account), seen.insert([route.acquirer, route.account]).inserted
                else { return nil }
                return SettlementAccount(merchant: merchant.id, account: route.account, source: source)
            }
        }
    }
}
