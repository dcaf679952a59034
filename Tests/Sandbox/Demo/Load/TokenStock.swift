import Contracts
import Foundation
import OrchardServiceKit
import SandboxWallet

/// Tokens that are encrypted in advance, so that little work is left while the services are measured. The signature
/// comes later, because an order's id is known only when the order is open.
final class TokenStock: Sendable {
    /// About 2 KB each.
    static let maximum = 20_000

    private let wallet: Wallet
    private let request: MintRequest
    private let prepared = Locked<[PreparedToken]>([])

    init(wallet: Wallet, request: MintRequest) {
        self.wallet = wallet
        self.request = request
    }

    /// Prepares tokens on all cores.
    func fill(_ count: Int) async throws {
        let tasks = max(1, min(ProcessInfo.processInfo.activeProcessorCount, count))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<tasks {
                group.addTask { [self] in
                    for _ in stride(from: task, to: count, by: tasks) {
                        try Task.checkCancellation()
                        let token = try wallet.prepare(request)
                        prepared.withLock { $0.append(token) }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// The token that pays an order; made from scratch when the stock is used up.
    func token(for order: OrderID) throws -> MintedToken {
        let next = try prepared.withLock { $0.popLast() } ?? wallet.prepare(request)
        return try wallet.sign(
            next, applicationData: Array(order.description.utf8), at: Int64(Date().timeIntervalSince1970))
    }
}
