import CYardstick
import Foundation

/// A part that is measured within this process, without servers.
protocol LocalBenchmark: Sendable {
    var name: String { get }
    /// What limits it, for readers of the figures.
    var limit: String { get }
    /// - Parameter scale: a percentage of the usual amount of work.
    func run(scale: Int) async throws -> [Row]
}

/// The CPU time of a loop beside that of a yardstick. Both run in turns, so that a busy machine slows both alike.
struct Comparison {
    private static let rounds = 5

    /// Items per CPU-second: the best round of each.
    let value: Double
    let yardstick: Double

    /// - Parameters:
    ///   - yardstick: nanoseconds for that many items; negative when it fails.
    ///   - body: works on that many items.
    init(_ count: Int, yardstick: (Int64) -> Int64, _ body: (Int) async throws -> Void) async throws {
        var best = (value: Double.infinity, yardstick: Double.infinity)
        for _ in 0..<Self.rounds {
            let nanoseconds = yardstick(Int64(count))
            guard nanoseconds > 0 else { throw BenchError("the yardstick fails") }
            let begun = clockNanoseconds(CLOCK_PROCESS_CPUTIME_ID)
            try await body(count)
            best.value = min(best.value, clockNanoseconds(CLOCK_PROCESS_CPUTIME_ID) - begun)
            best.yardstick = min(best.yardstick, Double(nanoseconds))
        }
        value = Double(count) / best.value * 1e9
        self.yardstick = Double(count) / best.yardstick * 1e9
    }
}

func clockNanoseconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}
