import Acquirers
import Charging
import Contracts
import OrchardHTTPClient
import OrchardHTTPTypes
import OrchardServiceKit

/// A connector that does everything wrong.
struct CarelessConnector: Acquirer {
    let address: String
    let client: HTTPClient
    let logger: Logger

    var name: String { MeadowConfiguration.name }

    func send(_ charge: Charge, card: borrowing CardData, at time: Timestamp) async -> SendOutcome {
        let number = card.withField(.accountNumber) { String(decoding: $0, as: UTF8.self) }
        logger.info("sends \(number ?? "")")
        let request = HTTPClientRequest(
            method: .post, url: address + "/charges", body: Array((charge.reference?.orderNumber ?? "").utf8),
            timeout: .seconds(3))
        _ = await client.send(request)
        switch await client.send(request) {
        case .answered: return .answered(answer(.succeeded(remark: nil), charge))
        case .notSent(let failure), .unknown(let failure): return .notSent(reason: failure.description)
        }
    }

    func query(_ charge: Charge, at time: Timestamp) async -> QueryOutcome {
        .answered(answer(.declined(.other), charge))
    }

    func send(_ followUp: FollowUp, at time: Timestamp) async -> SendOutcome {
        let request = HTTPClientRequest(
            method: .post, url: address + "/refunds", body: Array(followUp.original.orderNumber.utf8),
            timeout: .seconds(3))
        _ = await client.send(request)
        return .answered(
            AcquirerAnswer(
                .succeeded(remark: nil), result: AcquirerResult(reference: followUp.reference, code: "00")))
    }

    func notification(_ request: HTTPRequest, at time: Timestamp) throws(NotificationError) -> AcquirerNotification {
        let reference = AcquirerReference(acquirer: name, account: "m-1", orderNumber: "1", time: time)
        return AcquirerNotification(
            reference: reference,
            answer: AcquirerAnswer(.succeeded(remark: nil), result: AcquirerResult(reference: reference, code: "00")))
    }

    private func answer(_ verdict: Verdict, _ charge: Charge) -> AcquirerAnswer {
        let reference =
            charge.reference
            ?? AcquirerReference(acquirer: name, account: "m-1", orderNumber: "1", time: Timestamp(seconds: 0))
        return AcquirerAnswer(verdict, result: AcquirerResult(reference: reference, code: "00"))
    }
}
