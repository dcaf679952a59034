import OrchardServiceKit

/// Tells the readiness that an acquirer does not answer: payments then wait for it, and go on by themselves.
///
/// One lost answer is common; several in a row are an outage. The next answer, to a charge or to a query that is
/// due, ends it.
final class AcquirerHealth: Sendable {
    /// So many requests in a row must stay without an answer.
    static let failureThreshold = 3
    private let readiness: Readiness
    /// By acquirer, since its last answer.
    private let unanswered = Locked<[String: Int]>([:])

    init(_ readiness: Readiness) { self.readiness = readiness }

    func record(_ acquirer: String, hasAnswered: Bool) {
        let count = unanswered.withLock { all -> Int in
            let count = hasAnswered ? 0 : all[acquirer, default: 0] + 1
            all[acquirer] = count
            return count
        }
        if count == 0 {
            readiness.set("acquirer \(acquirer)", ready: true, reason: "answers")
        } else if count >= Self.failureThreshold {
            readiness.set(
                "acquirer \(acquirer)", ready: false,
                reason: "has not answered the last \(count) requests; payments wait for it")
        }
    }
}
