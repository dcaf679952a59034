/// Why the test wallet could not mint a token.
public struct WalletError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Code: String, Sendable {
        /// The merchant, or that generation of its keys, is not in the wallet's manifest.
        case unknownMerchant
        /// The currency is not in the wallet's table.
        case unknownCurrency
        /// A directory that `wallet init` did not write.
        case badDirectory
    }

    public let code: Code
    public let reason: String

    init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    public var description: String { reason }
}
