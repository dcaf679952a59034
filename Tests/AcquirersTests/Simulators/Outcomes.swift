import Charging
import Contracts

/// Outcomes in the words of ``Misbehaviour``.
extension SendOutcome {
    var text: String {
        switch self {
        case .notSent(let reason, _): "notSent \(reason)"
        case .unsendable(let reason): "unsendable \(reason)"
        case .unknown(let reason): "unknown \(reason)"
        case .answered(let answer): answer.verdict.text
        }
    }

    /// Whether the words are those expected; "unknown" may be followed by any reason that has the words after it.
    func matches(_ expected: String) -> Bool {
        guard case .unknown(let reason) = self, expected.hasPrefix("unknown") else { return text == expected }
        return expected == "unknown" || reason.contains(expected.dropFirst("unknown ".count))
    }
}

extension QueryOutcome {
    var text: String {
        switch self {
        case .failed: "failed"
        case .misconfigured: "misconfigured"
        case .answered(let answer): answer.verdict.text
        }
    }
}

extension Verdict {
    var text: String {
        switch self {
        case .accepted: "accepted"
        case .succeeded(let remark):
            remark.map { $0.isOfFailure ? "failed, but paid" : "paid, with a remark" } ?? "paid"
        case .declined(let reason): "declined \(reason.rawValue)"
        case .failed(let reason): "failed \(reason.rawValue)"
        case .alreadyKnown: "alreadyKnown"
        case .alreadyReturned: "alreadyReturned"
        case .unclear: "unclear"
        case .notFound: "notFound"
        case .tooManyQueries: "tooManyQueries"
        }
    }
}
