import OrchardServiceKit

/// Reports in `/readyz` that an acquirer does not answer. Payments wait for it and go on by themselves.
///
/// One lost answer is common; several in a row are an outage. The next answer ends it.
final class AcquirerHealth: Sendable {
    /// The number of requests in a row without an answer that make an outage.
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
                reason:
                    "has given no answer that can be believed to the last \(count) requests (see the log); payments wait for it"
            )
        }
    }
}
