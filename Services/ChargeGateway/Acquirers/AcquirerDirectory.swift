import Contracts
import OrchardServiceKit

/// The connectors of this gateway by their names.
public struct AcquirerDirectory: Sendable {
    /// Every acquirer that the gateway knows, a line each.
    public static let setups: [any AcquirerSetup.Type] = [
        UnionPayConfiguration.self
    ]

    private let acquirers: [String: any Acquirer]

    public init(_ acquirers: [any Acquirer]) {
        self.acquirers = Dictionary(acquirers.map { ($0.name, $0) }) { first, _ in first }
    }

    /// The connector of a name, as in a notification's address.
    public subscript(name: String) -> (any Acquirer)? { acquirers[name] }

    /// The connector that a charge was routed to.
    public subscript(reference: AcquirerReference) -> (any Acquirer)? { acquirers[reference.acquirer] }

    /// Checks that every route of `merchants.json` leads to an acquirer that can do what the route promises.
    ///
    /// - Returns: a problem for each promise that it cannot keep, for the message that stops the start.
    public static func problems(
        of registry: MerchantRegistry, for setups: [any AcquirerSetup.Type] = setups
    ) -> [ConfigurationError.Problem] {
        let known = setups.map { $0.name }.sorted().joined(separator: ", ")
        return registry.routes.flatMap { place, merchant, route -> [ConfigurationError.Problem] in
            guard let setup = setups.first(where: { $0.name == route.acquirer }) else {
                return [
                    .init(
                        key: "\(place).acquirer",
                        reason: "\"\(route.acquirer)\" is no acquirer of this gateway; known are \(known)")
                ]
            }
            let (name, can) = (setup.name, setup.capabilities)
            var problems: [ConfigurationError.Problem] = []
            if !can.currencies.isSuperset(of: route.currencies) {
                let currencies = can.currencies.map(\.code).sorted().joined(separator: ", ")
                problems.append(.init(key: "\(place).currencies", reason: "\(name) takes \(currencies) alone"))
            }
            if !can.paymentData.isSuperset(of: route.paymentData) {
                let kinds = can.paymentData.map(\.rawValue).sorted().joined(separator: ", ")
                problems.append(.init(key: "\(place).paymentData", reason: "\(name) takes \(kinds) card data alone"))
            }
            if route.captureModes.contains(.authorise),
                !can.operations.isSuperset(of: [.authorisation, .capture, .void])
            {
                problems.append(
                    .init(
                        key: "\(place).captureModes",
                        reason: "\(name) cannot hold money, capture it and let it go; it takes sale alone"))
            }
            if merchant.allowMissingApplicationData, !can.namesPaidOrder {
                problems.append(
                    .init(
                        key: "\(place).acquirer",
                        reason:
                            "\(name) does not tell which order it charged; a merchant with allowMissingApplicationData "
                            + "needs an acquirer that does"))
            }
            if !can.networks.isSuperset(of: route.networks ?? []) {
                let networks = can.networks.map(\.rawValue).sorted().joined(separator: ", ")
                problems.append(.init(key: "\(place).networks", reason: "\(name) takes cards of \(networks) alone"))
            }
            return problems
        }
    }
}

extension MerchantRegistry {
    /// Every merchant's routes with their places in `merchants.json`, for messages.
    var routes: [(place: String, merchant: Merchant, route: AcquirerRoute)] {
        merchants.flatMap { merchant in
            merchant.routes.enumerated().map {
                ("merchants: \(merchant.displayName), routes[\($0)]", merchant, $1)
            }
        }
    }
}
