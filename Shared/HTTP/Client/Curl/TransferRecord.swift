/// What happened to a request, and what follows from it; a pure value.
///
/// `notSent` ⇔ libcurl was never ready to send, or handed no byte to the socket. Everything else without a whole answer
/// is `unknown`. libcurl's code decides nothing: it also reports "couldn't connect" when only a second try could not
/// connect.
struct TransferRecord {
    /// What the loop found while it ran.
    var reader: AnswerReader
    /// How often libcurl was ready to send.
    private(set) var readyCount = 0
    private var guardFailure: HTTPFailure?

    init(reader: AnswerReader) { self.reader = reader }

    /// Whether the only obstacle was unrequested input, so that a new connection helps.
    var metStrayInput: Bool { guardFailure?.code == .strayInput }

    /// libcurl is about to send. When a connection breaks, it would send again what was sent (curl#18417).
    ///
    /// - Parameters:
    ///   - bytesSent: of this request, over all tries.
    ///   - hasUnreadInput: whether unrequested input waits on the connection.
    /// - Returns: whether it may.
    mutating func allowSend(bytesSent: Int, hasUnreadInput: Bool) -> Bool {
        readyCount += 1
        if bytesSent > 0 {
            guardFailure = HTTPFailure(.resendRefused, "the connection ended after the request was sent on it")
        } else if hasUnreadInput {
            guardFailure = HTTPFailure(.strayInput, "the server sent something that was not asked for")
        } else {
            guardFailure = nil
        }
        return guardFailure == nil
    }

    /// The end.
    ///
    /// - Parameters:
    ///   - failure: the error of libcurl or of the loop; nil when there is none.
    ///   - bytesSent: of this request, over all tries.
    func outcome(failure: HTTPFailure?, bytesSent: Int) -> HTTPOutcome {
        guard readyCount > 0, bytesSent > 0 else {
            return .notSent(
                guardFailure ?? failure ?? HTTPFailure(.other, "the transfer ended before anything was sent"))
        }
        if let failure { return .unknown(guardFailure ?? reader.flaw ?? failure) }
        do throws(HTTPFailure) {
            return .answered(try reader.finish())
        } catch {
            return .unknown(error)
        }
    }
}
