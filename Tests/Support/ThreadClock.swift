import Foundation

/// The processor time of the calling thread, which other work on the machine does not lengthen.
public enum ThreadClock {
    /// The least time of several runs of `body`, in seconds.
    public static func cost(runs: Int = 5, _ body: () -> Void) -> Double {
        (0..<runs).map { _ in
            let begin = now
            body()
            return now - begin
        }.min() ?? 0
    }

    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
