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

    fileprivate struct Room: Hashable {
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

        /// Those of an account.
        fileprivate func slots(_ room: Room) -> Int {
            min(
                accounts.first { $0.step == room.step && $0.acquirer == room.acquirer && $0.account == room.account }?
                    .slots ?? ofAccount,
                acquirers.first { $0.step == room.step && $0.acquirer == room.acquirer }?.slots ?? ofAcquirer)
        }
    }

    private struct State {
        var taken: [Room: Int] = [:]
        /// Accounts whose queue in the database is longer than what is free: who comes new does not overtake it.
        var queued: Set<Room> = []
    }

    private let limits: Limits
    private let state = Locked(State())

    init(_ limits: Limits) {
        self.limits = limits
    }

    /// Takes a slot, if there is one.
    func take(for due: DueOrder) -> Bool {
        state.withLock { take(due, &$0) }
    }

    /// Takes a slot for an order that is not in its queue yet, if there is one and nobody is known to wait before it.
    func takeUnlessQueued(_ due: DueOrder) -> Bool {
        state.withLock { state in
            let own = Self.rooms(due).own
            guard !state.queued.contains(own) else { return false }
            if take(due, &state) { return true }
            state.queued.insert(own)
            return false
        }
    }

    private func take(_ due: DueOrder, _ state: inout State) -> Bool {
        let (all, own) = Self.rooms(due)
        guard state.taken[all, default: 0] < limits.acquirer, state.taken[own, default: 0] < limits.account
        else { return false }
        state.taken[all, default: 0] += 1
        state.taken[own, default: 0] += 1
        return true
    }

    /// How many more can be taken now, for a look at the queues; ``looked(_:of:isCutShort:)`` tells what it found.
    var free: Free {
        let taken = state.withLock { $0.taken }
        return Free(
            ofAccount: limits.account, ofAcquirer: limits.acquirer,
            accounts: taken.compactMap { room, count in
                room.account.map { (room.step, room.acquirer, $0, limits.account - count) }
            },
            acquirers: taken.compactMap { room, count in
                room.account == nil ? (room.step, room.acquirer, limits.acquirer - count) : nil
            })
    }

    /// What a look found: a queue that filled all that was free may be longer, and one that did not is empty.
    ///
    /// - Parameters:
    ///   - free: what it was given.
    ///   - isCutShort: whether it ended before it had seen every queue.
    /// - Returns: whether such a queue can have more slots now than it was given: others came back during the look.
    func looked(_ found: [DueOrder], of free: Free, isCutShort: Bool) -> Bool {
        let counts = found.reduce(into: [Room: Int]()) { $0[Self.rooms($1).own, default: 0] += 1 }
        return state.withLock { state in
            // One that was given nothing was not looked at.
            state.queued = state.queued.filter { room in
                let given = free.slots(room)
                return isCutShort || given <= 0 || counts[room, default: 0] >= given
            }
            var isToLookAgain = false
            for (own, count) in counts where isCutShort || count >= free.slots(own) {
                state.queued.insert(own)
                let all = Room(step: own.step, acquirer: own.acquirer, account: nil)
                let now = min(
                    limits.account - state.taken[own, default: 0], limits.acquirer - state.taken[all, default: 0])
                if now > count { isToLookAgain = true }
            }
            return isToLookAgain
        }
    }

    /// Gives it back.
    ///
    /// - Returns: whether somebody may wait for it: there was none left, or more waited than the last look could take.
    @discardableResult
    func giveBack(_ due: DueOrder) -> Bool {
        state.withLock { state in
            let (all, own) = Self.rooms(due)
            let isWanted =
                state.queued.contains(own)
                || state.taken[all, default: 0] >= limits.acquirer || state.taken[own, default: 0] >= limits.account
            for room in [all, own] {
                let left = state.taken[room, default: 1] - 1
                state.taken[room] = left == 0 ? nil : left
            }
            return isWanted
        }
    }

    private static func rooms(_ due: DueOrder) -> (all: Room, own: Room) {
        (
            Room(step: due.step, acquirer: due.acquirer, account: nil),
            Room(step: due.step, acquirer: due.acquirer, account: due.account)
        )
    }
}
