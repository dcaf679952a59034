import Contracts

extension MerchantRegistry {
    /// Every merchant's routes with their places in `merchants.json` and the merchants' names, for messages.
    var routes: [(place: String, merchant: String, route: AcquirerRoute)] {
        merchants.flatMap { merchant in
            merchant.routes.enumerated().map {
                ("merchants: \(merchant.displayName), routes[\($0)]", merchant.displayName, $1)
            }
        }
    }
}
