/// What happens to the notification of a result.
enum NotificationStyle: Hashable, Sendable {
    case right
    case none
    /// Later than the answer of every query that a gateway is likely to send.
    case late
    /// Five at the same time.
    case five
    /// Before the synchronous answer.
    case first
    /// Well signed, but with another result than the book's.
    case claiming(ResponseCode)
    /// Forged: only this one is sent.
    case forged(AnswerStyle)
    /// Well signed, but this field is wrong.
    case amount, currency, merchant, order
}
