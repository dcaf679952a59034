import Contracts

/// What an acquirer's verified answer means, whatever its protocol.
public enum Verdict: Hashable, Sendable {
    /// Taken; the outcome is open.
    case accepted
    /// Money moved. A remark is what a person must look at, such as "charged, but too late".
    case succeeded(remark: String?)
    /// No money moved and none will, under this key.
    case declined(DeclineReason)
    /// The acquirer holds a transaction of this key from an earlier send.
    case alreadyKnown
    /// Neither yes nor no.
    case unclear
    /// The acquirer has no transaction of this key (yet).
    case notFound
    /// The acquirer was asked too often.
    case tooManyQueries
}
