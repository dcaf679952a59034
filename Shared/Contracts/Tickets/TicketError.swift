/// Why a ticket is not accepted.
public struct TicketError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    public enum Code: String, Sendable {
        /// Not a ticket: wrong form, header or claims.
        case malformed
        /// Signed with a key that this service does not have (yet, or any more).
        case unknownKey
        /// The signature is wrong.
        case signature
        /// Issued in the future, by more than clocks may differ.
        case notYetValid
        /// Too old for this use. While the order is open, order-ledger exchanges it for a fresh one.
        case expired
    }

    public let code: Code
    /// What is wrong and what to do; never a part of the ticket.
    public let reason: String

    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    public var description: String { "\(code.rawValue): \(reason)" }
}
