/// One scripted behaviour of the acquirer towards one transaction.
struct Fault: Hashable, Sendable {
    var name: String
    /// The code of the synchronous answer.
    var answer: ResponseCode = .success
    /// The result in the book.
    var result: ResponseCode = .success
    /// Whether the request reaches the book; otherwise it leaves no trace.
    var isBooked = true
    var style = AnswerStyle.right
    var notification = NotificationStyle.right
    /// What the first queries return instead of the result.
    var shown: [ResponseCode] = []
    /// How the first queries fail, before any returns something.
    var failedQueries: [QueryFailure] = []
    /// Queries never return the result.
    var isHiddenForEver = false
    /// Whether the settlement file has it.
    var isInFile = true

    /// A query that fails.
    enum QueryFailure: Hashable, Sendable {
        case code(ResponseCode)
        case style(AnswerStyle)
    }

    static let none = Fault(name: "normal")
}
