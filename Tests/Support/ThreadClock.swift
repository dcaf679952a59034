import Foundation

/// The processor time of the calling thread, which other work on the machine does not increase.
public enum ThreadClock {
    /// The least time of several runs of `body`, in seconds.
    ///
    /// - Parameter bound: the upper limit of the time. While the time is above it, there are more runs: other work may
    ///   have used the caches, or the other half of the core.
    public static func cost(runs: Int = 5, bound: Double = .infinity, _ body: () -> Void) -> Double {
        var least = Double.infinity
        for run in 0..<max(runs, 50) {
            guard run < runs || least > bound else { break }
            let begin = now
            body()
            least = min(least, now - begin)
        }
        return least
    }

    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
