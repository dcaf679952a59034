/// Chooses the fault of each request.
struct FaultPicker: Sendable {
    /// Keys whose first submission was lost on purpose; the next one is accepted.
    private var tripped: Set<TransactionRequest.Key> = []
    private var armed: [ArmedFault] = []
    /// What strikes requests that nothing else strikes.
    var storm: FaultStorm?
    /// Whether the amount chooses no behaviour.
    let hasPlainAmounts: Bool

    init(hasPlainAmounts: Bool = false) { self.hasPlainAmounts = hasPlainAmounts }

    /// Applies this fault to the next requests that match.
    mutating func arm(_ fault: ArmedFault) { armed.append(fault) }

    /// The request was lost: the same fault does not lose its repetition.
    mutating func lost(_ request: TransactionRequest) { tripped.insert(request.key) }

    /// An armed fault comes before the amount's, and that before the storm's. The amount counts for charges and for
    /// refunds of a part: the others have the amount of their original, whose fault would follow them.
    ///
    /// - Parameter whole: the original's amount.
    mutating func pick(for request: TransactionRequest, following whole: Int64?) -> Fault {
        if let index = armed.firstIndex(where: { $0.match.matches(request) }) {
            let fault = armed[index].fault
            armed[index].count -= 1
            if armed[index].count <= 0 { armed.remove(at: index) }
            return fault
        }
        let isPartialRefund = request.kind == .refund && whole != nil && whole != request.amount
        var fault = Fault.none
        if !hasPlainAmounts, request.kind.hasCard || isPartialRefund {
            fault = FaultTable.fault(forAmount: request.amount)
        }
        if fault == .none, let storm { fault = storm.fault(of: request) }
        let isTransient = ["00", "02", "06", "99"].contains(fault.answer)
        return tripped.contains(request.key) && isTransient ? .none : fault
    }
}
