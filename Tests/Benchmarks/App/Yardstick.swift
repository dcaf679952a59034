import Foundation
import OrchardServiceKit

/// Runs measurements that are written in C.
enum Yardstick {
    /// Runs it on a thread of its own: it blocks.
    static func run(_ body: @escaping @Sendable () -> Int64) async -> Int64 {
        let result = Locked<Int64>(-1)
        await runOnOwnThread(named: "yardstick") {
            let value = body()
            result.withLock { $0 = value }
        }
        return result.withLock { $0 }
    }

    /// Lends texts as C has them.
    static func with(_ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Int64) -> Int64 {
        let copies = texts.map { strdup($0) }
        defer { copies.forEach { free($0) } }
        return copies.map { UnsafePointer($0) }.withUnsafeBufferPointer { $0.baseAddress.map(body) ?? -1 }
    }
}
