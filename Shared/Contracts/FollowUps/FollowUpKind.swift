/// The kinds of operations that can follow a charge.
public enum FollowUpKind: String, Hashable, Sendable, CaseIterable {
    /// Takes money of an authorisation.
    case capture
    /// Undoes a whole transaction: the sale, the capture, or the authorisation that was not captured.
    case void
    /// Gives money back.
    case refund

    public var operation: OperationKind {
        switch self {
        case .capture: .capture
        case .void: .void
        case .refund: .refund
        }
    }

    /// Whether it gives money back. A payment has one such operation at a time.
    public var returnsMoney: Bool { self != .capture }
}
