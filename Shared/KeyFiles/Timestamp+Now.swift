import Contracts
import Foundation

extension Timestamp {
    /// This machine's clock: for certificates, keys and tickets. Due times use the database's clock.
    public static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
    }
}
