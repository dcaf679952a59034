import Charging
import Contracts

/// UnionPay's two-character `respCode` and `origRespCode`, and what they mean where.
struct ResponseCode: Hashable, Sendable {
    let text: String

    /// The request, here the query itself, was carried out.
    static let success = ResponseCode(text: "00")
    /// Our signature or certificate is not accepted.
    static let signatureRefused = ResponseCode(text: "11")
    static let noSuchTransaction = ResponseCode(text: "34")
    static let tooManyQueries = ResponseCode(text: "37")
    /// The file that was asked for does not exist.
    static let noFile = ResponseCode(text: "98")

    /// What a code says, wherever it stands.
    private enum Meaning {
        case success
        /// Money moved, and a person must look.
        case paid(Remark)
        /// Taken; the outcome comes later.
        case taken
        case failed(DeclineReason)
        case duplicate
        /// The original of a follow-up is not there, or its state or amount does not allow it.
        case originalState
        /// The original of a follow-up is given back or undone already.
        case alreadyReturned
        /// Neither yes nor no, or not about a transaction at all.
        case unclear
    }

    /// In the answer to a send: `00` says only that it was taken. A code that says money moved is taken for no more than
    /// that either, because the query books money.
    ///
    /// `45` to a void or refund proves nothing of this one (rule 1). Another operation may have given the money back: then
    /// this one did nothing. UnionPay may have passed on our one request twice: then this one did it. The query of our own
    /// key tells them apart, and the settlement file where it does not.
    func answer(to type: TransactionType) -> Verdict {
        switch meaning {
        case .success, .paid, .taken: .accepted
        case .failed(let reason): Self.refusal(reason, of: type)
        case .duplicate: .alreadyKnown
        case .originalState: type.isCharge ? .unclear : .failed(.originalState)
        case .alreadyReturned: type.isCharge ? .unclear : .alreadyReturned
        case .unclear: .unclear
        }
    }

    /// As a transaction's result: `origRespCode` of a query that was answered with `00`, `respCode` of a notification.
    ///
    /// `45` as the result of our own transaction says that it moved no money, whatever else gave it back.
    func result(of type: TransactionType) -> Verdict {
        switch meaning {
        case .success: .succeeded(remark: nil)
        case .paid(let remark):
            .succeeded(remark: type.isCharge ? remark : Remark("\(text): done, but with a defect"))
        case .taken: .accepted
        case .failed(let reason): Self.refusal(reason, of: type)
        case .originalState, .alreadyReturned: type.isCharge ? .unclear : .failed(.originalState)
        case .duplicate, .unclear: .unclear
        }
    }

    private static func refusal(_ reason: DeclineReason, of type: TransactionType) -> Verdict {
        if type.isCharge { return .declined(reason) }
        return .failed(reason == .configuration ? .configuration : .refused)
    }

    /// Whether our own request was wrong, or our signature or rights: an operator must look.
    var isOurFault: Bool {
        if case .failed(.configuration) = meaning { true } else { false }
    }

    private var meaning: Meaning {
        switch text {
        case "00": .success
        case "A6": .paid(Remark("A6: paid, with a defect: ask UnionPay which"))
        // Failed by their names, and charged all the same: the customer is owed the money.
        case "42": .paid(Remark("42: charged, but past the time for payment", isOfFailure: true))
        case "74":
            .paid(Remark("74: charged, but whether the bill was written off is not known", isOfFailure: true))
        case "75": .paid(Remark("75: charged, but the bill was not written off", isOfFailure: true))
        // 70 sends the cardholder elsewhere; the outcome comes from there.
        case "05", "70": .taken
        case "12": .duplicate
        // Our request was wrong, our signature or contract: an operator must look.
        case "10", "11", "13", "14", "31", "32", "33", "39", "40", "41": .failed(.configuration)
        case "38": .failed(.risk)
        case "61": .failed(.invalidCard)
        case "63": .failed(.frozenCard)
        case "64": .failed(.insufficientFunds)
        case "65": .failed(.incorrectPIN)
        case "67": .failed(.pinTriesExceeded)
        case "73": .failed(.expiredCard)
        case "30", "60", "62", "66", "68", "72", "76", "77", "78", "79": .failed(.issuerDeclined)
        case "01", "69", "71", "80": .failed(.other)
        case "35", "36": .originalState
        case "45": .alreadyReturned
        // 02 closed, 03 timed out inside, 04 unclear, 06 busy, 99 general: each may hide a charge. 34, 37 and 98 are about
        // queries and files. What the list does not know is not guessed.
        default: .unclear
        }
    }
}
