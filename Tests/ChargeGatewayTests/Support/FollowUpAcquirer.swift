import Acquirers
import Charging
import Contracts
import OrchardHTTPTypes
import OrchardServiceKit

@testable import ChargeGateway

/// An acquirer inside the test that takes every charge at once; what follows a charge goes as its script says.
final class FollowUpAcquirer: Acquirer {
    /// What happens to a send.
    enum Send: Sendable {
        case done, refuse
        /// Done, but the answer is lost.
        case loseAnswer
        /// Lost before it is booked.
        case loseRequest
        /// Never left.
        case refuseConnection
    }

    struct Booking: Hashable, Sendable {
        let followUp: FollowUp
        let isDone: Bool
    }

    private struct State {
        var script: [Send]
        var charged: Set<AcquirerReference> = []
        var book: [AcquirerReference: Booking] = [:]
        var received: [FollowUp] = []
    }

    let name = "unionpay"
    private let state: Locked<State>

    init(_ script: [Send] = []) { state = Locked(State(script: script)) }

    /// What was done, by kind, in minor units.
    func sum(_ kind: FollowUpKind) -> Int64 {
        state.withLock { state in
            state.book.values.filter { $0.isDone && $0.followUp.kind == kind }.reduce(0) {
                $0 + $1.followUp.amount.minorUnits
            }
        }
    }

    var book: [AcquirerReference: Booking] { state.withLock { $0.book } }
    /// Those that arrived, in their order.
    var received: [FollowUp] { state.withLock { $0.received } }

    func send(_ charge: Charge, card: borrowing CardData, at time: Timestamp) async -> SendOutcome {
        guard let reference = charge.reference else { return .notSent(reason: "no reference") }
        state.withLock { _ = $0.charged.insert(reference) }
        return .answered(answer(.succeeded(remark: nil), .charge(charge)))
    }

    func query(_ charge: Charge, at time: Timestamp) async -> QueryOutcome {
        let isKnown = state.withLock { state in charge.reference.map { state.charged.contains($0) } ?? false }
        return .answered(answer(isKnown ? .succeeded(remark: nil) : .notFound, .charge(charge)))
    }

    func send(_ followUp: FollowUp, at time: Timestamp) async -> SendOutcome {
        let (next, known) = state.withLock { state in
            (state.script.isEmpty ? Send.done : state.script.removeFirst(), state.book[followUp.reference])
        }
        if case .refuseConnection = next { return .notSent(reason: "connection refused", fault: .unreachable) }
        state.withLock { $0.received.append(followUp) }
        if case .loseRequest = next { return .unknown(reason: "timeout") }
        if known != nil { return .answered(answer(.alreadyKnown, .followUp(followUp))) }
        var isDone = true
        if case .refuse = next { isDone = false }
        state.withLock { $0.book[followUp.reference] = Booking(followUp: followUp, isDone: isDone) }
        if case .loseAnswer = next { return .unknown(reason: "connection lost") }
        return .answered(answer(isDone ? .accepted : .failed(.originalState), .followUp(followUp)))
    }

    func query(_ followUp: FollowUp, at time: Timestamp) async -> QueryOutcome {
        let booking = state.withLock { $0.book[followUp.reference] }
        let verdict = booking.map { $0.isDone ? Verdict.succeeded(remark: nil) : .failed(.refused) } ?? .notFound
        return .answered(answer(verdict, .followUp(followUp)))
    }

    /// Takes an order number of its book as the notification that it was done.
    func notification(_ request: HTTPRequest, at time: Timestamp) throws(NotificationError) -> AcquirerNotification {
        let number = String(decoding: request.body, as: UTF8.self)
        guard let (reference, booking) = book.first(where: { $0.key.orderNumber == number }) else {
            throw NotificationError(.malformed, "not a notification")
        }
        return AcquirerNotification(
            reference: reference, answer: answer(.succeeded(remark: nil), .followUp(booking.followUp)))
    }

    private func answer(_ verdict: Verdict, _ subject: Subject) -> AcquirerAnswer {
        AcquirerAnswer(
            verdict,
            result: AcquirerResult(
                reference: subject.reference
                    ?? AcquirerReference(acquirer: name, account: "", orderNumber: "", time: Timestamp(seconds: 0)),
                code: "00", serial: "serial of \(subject.kind.rawValue)"),
            echoed: EchoedFields(reserved: subject.reserved, amount: subject.amount.minorUnits, currency: "156"))
    }
}
