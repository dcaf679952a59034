import Contracts
import OrchardServiceKit

/// The connectors of this gateway by their names.
public struct AcquirerDirectory: Sendable {
    private let acquirers: [String: any Acquirer]

    public init(_ acquirers: [any Acquirer]) {
        self.acquirers = Dictionary(acquirers.map { ($0.name, $0) }) { first, _ in first }
    }

    /// The connector of a name, as in a notification's address.
    public subscript(name: String) -> (any Acquirer)? { acquirers[name] }

    /// The connector that a charge was routed to.
    public subscript(reference: AcquirerReference) -> (any Acquirer)? { acquirers[reference.acquirer] }

    /// Checks that every route of `merchants.json` leads to a connector.
    ///
    /// - Returns: a problem for each route that does not, for the message that stops the start.
    public func problems(of registry: MerchantRegistry) -> [ConfigurationError.Problem] {
        let known = acquirers.keys.sorted().joined(separator: ", ")
        return registry.routes.filter { acquirers[$0.route.acquirer] == nil }.map { entry in
            .init(
                key: "\(entry.place).acquirer",
                reason: "\"\(entry.route.acquirer)\" is no acquirer of this gateway; known are \(known)")
        }
    }
}
