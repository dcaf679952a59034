import OrchardHTTPTypes
import OrchardServiceKit

/// Detects a route that always answers with the same failure: 401 because a key file is old, 5xx because something does
/// not answer.
///
/// It warns and shows it in metrics and `/readyz`, where the service stays ready: requests alone must not remove it
/// from a balancer.
final class FailureRuns: Sendable {
    /// So many equal failures in a row are reported.
    static let limit = 20

    private struct Run {
        var cause: String
        var count: Int
    }

    private struct Route: Hashable {
        let method: HTTPMethod
        let pattern: String
    }

    private let runs = Locked<[Route: Run]>([:])
    private let metrics: ServerMetrics
    private let readiness: Readiness?
    private let logger: Logger

    init(metrics: ServerMetrics, readiness: Readiness?, logger: Logger) {
        self.metrics = metrics
        self.readiness = readiness
        self.logger = logger
    }

    /// - Parameters:
    ///   - pattern: the route's, of the router, so that there are few.
    ///   - failure: why the answer is 401 or 5xx; nil for every other answer.
    func record(_ method: HTTPMethod, _ pattern: String, failure: String?) {
        let (before, now) = runs.withLock { runs -> (Int, Int) in
            if failure == nil, runs.isEmpty { return (0, 0) }
            let route = Route(method: method, pattern: pattern)
            let old = runs[route]
            guard let failure else {
                runs[route] = nil
                return (old?.count ?? 0, 0)
            }
            let count = old?.cause == failure ? (old?.count ?? 0) + 1 : 1
            runs[route] = Run(cause: failure, count: count)
            return (old?.count ?? 0, count)
        }
        guard before >= Self.limit || now >= Self.limit else { return }
        let route = "\(method) \(pattern)"
        metrics.failuresInARow(route).set(Double(now >= Self.limit ? now : 0))
        if now == Self.limit, let failure {
            let words = "the last \(now) answers of \(route) were \(failure)"
            logger.warning("\(words)")
            readiness?.warn("answers", reason: words)
        } else if now < Self.limit, before >= Self.limit {
            logger.notice("\(route) has other answers again")
            readiness?.set("answers", ready: true, reason: "\(route) has other answers again")
        }
    }
}
