/// Why a fact cannot be true, given what is known: nothing changes, the record goes to the dead letters.
public struct FoldError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    public enum Code: String, Sendable, CaseIterable {
        /// An event of this name is known and told something else.
        case conflictingDuplicate
        /// The payment cannot go from where it stands to what the fact says.
        case illegalTransition
        /// The order is another merchant's.
        case merchantDiffers
        /// The offer changes what never changes, or the payment is not for it.
        case offerDiffers
        /// An offer of this revision is known.
        case offerOutOfOrder
        /// The order was closed or paid before.
        case alreadyClosed
        /// The order belongs into another partition.
        case wrongPartition
    }

    public let code: Code
    public let reason: String

    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    public var description: String { "\(code.rawValue): \(reason)" }
}
