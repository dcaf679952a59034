import Contracts
import Foundation

extension Timestamp {
    /// This machine's clock.
    static var now: Timestamp {
        Timestamp(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000))
    }
}
