import Charging
import OrchardServiceKit

/// Places at the acquirers: bounded for each acquirer and kind of request, and shared among its merchants.
///
/// Sends and queries have places of their own, so that an acquirer that holds requests for a minute keeps nobody from
/// asking. A slot is taken before the intent: no timer overtakes a send that waits.
final class Slots: Sendable {
    /// How many requests may be on their way at once.
    struct Limits: Hashable, Sendable {
        /// To one acquirer.
        var acquirer = 64
        /// Of one merchant's account there, so that a slow merchant leaves room for others.
        var account = 32
    }

    private struct Room: Hashable {
        let step: NextStep.Kind
        let acquirer: String
        let account: String?
    }

    private let limits: Limits
    private let taken = Locked<[Room: Int]>([:])

    init(_ limits: Limits) {
        self.limits = limits
    }

    /// Takes a slot, if there is one.
    func take(for due: DueOrder) -> Bool {
        let (all, own) = Self.rooms(due)
        return taken.withLock { taken in
            guard taken[all, default: 0] < limits.acquirer, taken[own, default: 0] < limits.account
            else { return false }
            taken[all, default: 0] += 1
            taken[own, default: 0] += 1
            return true
        }
    }

    func giveBack(_ due: DueOrder) {
        let (all, own) = Self.rooms(due)
        taken.withLock { taken in
            for room in [all, own] {
                let left = taken[room, default: 1] - 1
                taken[room] = left == 0 ? nil : left
            }
        }
    }

    private static func rooms(_ due: DueOrder) -> (all: Room, own: Room) {
        (
            Room(step: due.step, acquirer: due.acquirer, account: nil),
            Room(step: due.step, acquirer: due.acquirer, account: due.account)
        )
    }
}
