import Charging
import Contracts
import OrchardHTTPClient
import OrchardHTTPTypes

extension UnionPay {
    /// What came of a send.
    func sendOutcome(
        _ outcome: HTTPOutcome, of type: TransactionType, _ reference: AcquirerReference, at time: Timestamp
    ) -> SendOutcome {
        switch outcome {
        case .notSent(let failure): return .notSent(reason: failure.description, fault: SendFault(failure))
        case .unknown(let failure): return .unknown(reason: failure.description)
        case .answered(let answer):
            do throws(NotificationError) {
                let message = try message(answer, to: reference, at: time)
                let code = try message.code("respCode")
                return .answered(
                    try message.answer(
                        code.answer(to: type), code, reference,
                        fault: code == .signatureRefused ? .signatureRefused : nil))
            } catch {
                return .unknown(reason: "the answer is not believed: \(error)")
            }
        }
    }

    /// What came of a query: `origRespCode` alone decides, and only when the query itself was answered `00`.
    func queryOutcome(
        _ outcome: HTTPOutcome, of type: TransactionType, _ reference: AcquirerReference, at time: Timestamp
    ) -> QueryOutcome {
        switch outcome {
        case .notSent(let failure), .unknown(let failure): return .failed(reason: failure.description)
        case .answered(let answer):
            do throws(NotificationError) {
                let message = try message(answer, to: reference, at: time)
                let code = try message.code("respCode")
                switch code {
                case .success:
                    let original = try message.code("origRespCode")
                    return .answered(try message.answer(original.result(of: type), original, reference))
                case .noSuchTransaction: return .answered(try message.answer(.notFound, code, reference))
                case .tooManyQueries: return .answered(try message.answer(.tooManyQueries, code, reference))
                default:
                    let reason = "the query was answered \(code.text) (\(message.detailCode ?? "no detail"))"
                    return code.isOurFault ? .misconfigured(reason: reason) : .failed(reason: reason)
                }
            } catch {
                let reason = "the answer is not believed: \(error)"
                return error.isMisconfiguration ? .misconfigured(reason: reason) : .failed(reason: reason)
            }
        }
    }

    /// What a verified notification claims, and about what.
    func claim(of message: ACPMessage) throws(NotificationError) -> AcquirerNotification {
        guard let account = message["merId"], merchants[account] != nil else {
            throw NotificationError(.account, "the notification is about a merId that no route of ours has")
        }
        guard let type = TransactionType(message) else {
            throw NotificationError(.subject, "the notification is about no kind of transaction that we make")
        }
        guard let order = message["orderId"], let time = message["txnTime"].flatMap(Timestamp.init(transactionTime:))
        else { throw NotificationError(.malformed, "the notification names no orderId and txnTime") }
        let reference = AcquirerReference(acquirer: name, account: account, orderNumber: order, time: time)
        let code = try message.code("respCode")
        return AcquirerNotification(
            reference: reference, answer: try message.answer(code.result(of: type), code, reference))
    }

    /// The verified message in an answer, if it is about what was asked: a stray answer on a connection is no answer.
    private func message(
        _ answer: HTTPAnswer, to reference: AcquirerReference, at time: Timestamp
    ) throws(NotificationError) -> ACPMessage {
        guard answer.response.status == .ok else {
            throw NotificationError(.malformed, "HTTP status \(answer.response.status.code)")
        }
        // Also where the end of the connection is all that ended the body: the signature tells whether it is whole.
        let message = try ACPMessage(answer: answer.response.body)
        try trust(of: reference.account).verify(message, at: time)
        guard message["merId"] == reference.account, message["orderId"] == reference.orderNumber,
            message["txnTime"] == reference.time.transactionTime
        else { throw NotificationError(.subject, "the answer is signed, but it is about another transaction") }
        log("UnionPay answered", reference, message)
        return message
    }
}

extension SendFault {
    /// Why nothing was sent, when that is so for every request; nil for what may be this one's alone.
    fileprivate init?(_ failure: HTTPFailure) {
        switch failure.code {
        case .connect, .nameResolution: self = .unreachable
        case .tls: self = .tls
        default: return nil
        }
    }
}
