import Contracts

/// How an order closes unpaid.
extension OrderMachine {
    mutating func close(_ command: CloseRequested) -> [Action] {
        guard !answeredCommands.contains(command.command) else { return [] }
        answeredCommands.append(command.command)
        switch command.reason {
        case .cancelled: return cancel(command)
        case .expired:
            // Nobody waits for an answer: what closed the order before is known.
            guard closure == nil else { return [] }
            pendingExpiry = command.command
            return expire(command.merchant)
        }
    }

    /// Closes the order if it has expired and nothing is in progress.
    mutating func expire(_ merchant: MerchantID) -> [Action] {
        guard let command = pendingExpiry, closure == nil, !hasLiveOperation else { return [] }
        closure = OrderClosure(reason: .expired, command: command)
        return [
            .record(.orderClosed(OrderClosed(order: order, merchant: merchant, reason: .expired, command: command)))
        ]
    }

    private mutating func cancel(_ command: CloseRequested) -> [Action] {
        let rejection: CommandRejected.Reason? =
            switch closure?.reason {
            case .paid: .orderPaid
            case .cancelled, .expired: .orderClosed
            case nil: hasLiveOperation ? .chargeInProgress : nil
            }
        if let rejection {
            return [
                .record(
                    .commandRejected(
                        CommandRejected(
                            order: order, merchant: command.merchant, command: command.command,
                            commandType: CommandType.cancel.rawValue, reason: rejection)))
            ]
        }
        closure = OrderClosure(reason: .cancelled, command: command.command)
        return [
            .record(
                .orderClosed(
                    OrderClosed(
                        order: order, merchant: command.merchant, reason: .cancelled, command: command.command)))
        ]
    }
}
