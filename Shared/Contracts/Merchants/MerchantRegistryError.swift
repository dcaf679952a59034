/// Everything that is wrong with a `merchants.json`, in one message.
public struct MerchantRegistryError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Each names the place, as in `merchants[1].routes[0].account: …`.
    public let problems: [String]

    public var description: String {
        "merchants.json has \(problems.count == 1 ? "a problem" : "\(problems.count) problems"):\n"
            + problems.map { "  - \($0)" }.joined(separator: "\n")
    }
}
