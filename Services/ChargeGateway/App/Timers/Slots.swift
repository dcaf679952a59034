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

    /// What is free: in the rooms that are used now, and in the others.
    struct Free: Sendable {
        /// Of an account that has no request on its way.
        let ofAccount: Int
        /// Of an acquirer that has none.
        let ofAcquirer: Int
        let accounts: [(step: NextStep.Kind, acquirer: String, account: String, slots: Int)]
        let acquirers: [(step: NextStep.Kind, acquirer: String, slots: Int)]
    }

    private let limits: Limits
    private let taken = Locked<[Room: Int]>([:])

    init(_ limits: Limits) {
        self.limits = limits
    }

    /// Takes a slot, if there is one.
    func take(for due: DueOrder) -> Bool {
        taken.withLock { taken in
            let (all, own) = Self.rooms(due)
            guard taken[all, default: 0] < limits.acquirer, taken[own, default: 0] < limits.account
            else { return false }
            taken[all, default: 0] += 1
            taken[own, default: 0] += 1
            return true
        }
    }

    /// How many more can be taken now.
    var free: Free {
        let taken = taken.withLock { $0 }
        return Free(
            ofAccount: limits.account, ofAcquirer: limits.acquirer,
            accounts: taken.compactMap { room, count in
                room.account.map { (room.step, room.acquirer, $0, limits.account - count) }
            },
            acquirers: taken.compactMap { room, count in
                room.account == nil ? (room.step, room.acquirer, limits.acquirer - count) : nil
            })
    }

    /// Gives it back.
    ///
    /// - Returns: whether there was none left, so that somebody may wait for it.
    func giveBack(_ due: DueOrder) -> Bool {
        taken.withLock { taken in
            let (all, own) = Self.rooms(due)
            let wasFull = taken[all, default: 0] >= limits.acquirer || taken[own, default: 0] >= limits.account
            for room in [all, own] {
                let left = taken[room, default: 1] - 1
                taken[room] = left == 0 ? nil : left
            }
            return wasFull
        }
    }

    private static func rooms(_ due: DueOrder) -> (all: Room, own: Room) {
        (
            Room(step: due.step, acquirer: due.acquirer, account: nil),
            Room(step: due.step, acquirer: due.acquirer, account: due.account)
        )
    }
}
