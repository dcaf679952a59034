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

/// The CPU time of a loop beside that of a yardstick.
struct Comparison {
    private static let rounds = 25

    /// Items per CPU-second, in the round whose quotient is the median.
    let value: Double
    let yardstick: Double

    /// - Parameters:
    ///   - count: how many items a round has.
    ///   - yardstick: nanoseconds for that many items; negative when it fails.
    ///   - body: works on that many items.
    init(_ count: Int, yardstick: (Int64) -> Int64, _ body: (Int) async throws -> Void) async throws {
        var rounds: [(value: Double, yardstick: Double)] = []
        for _ in 0..<Self.rounds {
            let nanoseconds = yardstick(Int64(count))
            guard nanoseconds > 0 else { throw BenchError("the yardstick fails") }
            let begun = clockNanoseconds(CLOCK_PROCESS_CPUTIME_ID)
            try await body(count)
            rounds.append((clockNanoseconds(CLOCK_PROCESS_CPUTIME_ID) - begun, Double(nanoseconds)))
        }
        let round = rounds.median { $0.value / $0.yardstick }
        value = Double(count) / round.value * 1e9
        self.yardstick = Double(count) / round.yardstick * 1e9
    }
}

extension Array {
    /// The element in the middle, when they are ordered by a figure.
    ///
    /// Two programs are compared in many short rounds, in each one after the other: what disturbs the machine for a moment
    /// slows one of a round. The best result of each would compare their luck.
    ///
    /// - Precondition: there is one. Of an even number it is the upper one of the two in the middle.
    func median(by figure: (Element) -> Double) -> Element {
        sorted { figure($0) < figure($1) }[count / 2]
    }
}

func clockNanoseconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}
