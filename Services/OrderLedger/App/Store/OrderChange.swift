import Contracts
import Ledger

/// An order of the books before and after a batch.
struct OrderChange: Sendable {
    let place: OrderPlace
    /// nil when the books did not know it.
    let known: OrderState?
    let state: OrderState

    init(partition: Int32, from known: OrderState?, to state: OrderState) {
        place = OrderPlace(partition: partition, order: state.id)
        self.known = known
        self.state = state
    }

    /// Whether somebody may wait for what has changed: a device for its payment, a shop for its command.
    var isAwaited: Bool {
        state.payments != known?.payments ?? [] || state.followUps != known?.followUps ?? []
            || state.refusedCommands != known?.refusedCommands ?? [] || state.closing != known?.closing
    }
}
