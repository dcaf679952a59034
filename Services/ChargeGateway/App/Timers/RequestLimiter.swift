import Charging
import OrchardServiceKit

/// Limits the concurrent requests for each acquirer and kind of request, and for each account.
///
/// Sends and queries have separate slots: slow sends do not block queries. A slot is acquired before the intent, so that no
/// timer overtakes a waiting send.
final class RequestLimiter: Sendable {
    /// How many requests may be on their way at once.
    struct Limits: Hashable, Sendable {
        /// To one acquirer.
        var acquirer = 256
        /// Of one merchant's account there, so that a slow merchant leaves room for others.
        var account = 128
    }

    private struct Scope: Hashable {
        let step: NextStep.Kind
        let acquirer: String
        let account: String?
    }

    private let limits: Limits
    private let inUse = Locked<[Scope: Int]>([:])

    init(_ limits: Limits) {
        self.limits = limits
    }

    /// Takes a slot, if there is one.
    func acquire(for due: DueOrder) -> Bool {
        let (all, own) = Self.scopes(due)
        return inUse.withLock { taken in
            guard taken[all, default: 0] < limits.acquirer, taken[own, default: 0] < limits.account
            else { return false }
            taken[all, default: 0] += 1
            taken[own, default: 0] += 1
            return true
        }
    }

    func release(_ due: DueOrder) {
        let (all, own) = Self.scopes(due)
        inUse.withLock { taken in
            for room in [all, own] {
                let left = taken[room, default: 1] - 1
                taken[room] = left == 0 ? nil : left
            }
        }
    }

    /// How much is taken where there is least room, at an acquirer or for a merchant's account there: 0 to 1.
    func takenShare(of step: NextStep.Kind) -> Double {
        inUse.withLock { taken in
            taken.filter { $0.key.step == step }.map { scope, count in
                Double(count) / Double(scope.account == nil ? limits.acquirer : limits.account)
            }.max() ?? 0
        }
    }

    private static func scopes(_ due: DueOrder) -> (all: Scope, own: Scope) {
        (
            Scope(step: due.step, acquirer: due.acquirer, account: nil),
            Scope(step: due.step, acquirer: due.acquirer, account: due.account)
        )
    }
}
