import Contracts

extension MerchantRegistry {
    /// Every merchant's routes with their places in `merchants.json`, for messages.
    var routes: [(place: String, route: AcquirerRoute)] {
        merchants.flatMap { merchant in
            merchant.routes.enumerated().map { ("merchants: \(merchant.displayName), routes[\($0)]", $1) }
        }
    }
}
