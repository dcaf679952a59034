/// Why a fact contradicts what is known. Nothing changes; the record goes to the dead letters.
public struct FoldError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    public enum Code: String, Sendable, CaseIterable {
        /// An event of this identifier is known and has other content.
        case conflictingDuplicate
        /// The payment's status does not allow what the fact states.
        case illegalTransition
        /// The order is another merchant's.
        case merchantDiffers
        /// The offer changes what must not change, or the payment does not match it.
        case offerDiffers
        /// An offer of this revision is known.
        case offerOutOfOrder
        /// The order was closed or paid before.
        case alreadyClosed
        /// A row of this serial number was in the file of another day.
        case settledBefore
        /// The amounts exceed what can be booked.
        case amountTooLarge
        /// The order belongs to another partition.
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
