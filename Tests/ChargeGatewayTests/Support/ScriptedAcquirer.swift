import Acquirers
import Charging
import Contracts
import OrchardHTTPTypes
import OrchardServiceKit
import TestSupport

@testable import ChargeGateway

/// An acquirer inside the test: one transaction a key, as its script says.
final class ScriptedAcquirer: Acquirer {
    /// What happens to a send.
    enum Send: Sendable {
        /// Booked as paid and answered as accepted.
        case accept
        /// Booked as declined, and answered so.
        case decline(DeclineReason)
        /// Booked as paid, but the answer is lost.
        case loseAnswer
        /// Lost before it is booked.
        case loseRequest
        /// Never left.
        case refuseConnection
        /// Arrives, and is refused because of our signature.
        case refuseSignature
        /// Never leaves: the acquirer's request cannot be made of the card.
        case refuseCard
        /// Stays at the acquirer, booked, until the test ends.
        case hang
        /// Stays at the acquirer, not booked, until the test ends.
        case hangUnbooked
    }

    struct Booking: Hashable, Sendable {
        let order: OrderID
        let amount: Int64
        let isPaid: Bool
    }

    private struct State {
        var script: [Send] = []
        var book: [AcquirerReference: Booking] = [:]
        var received: [(reference: AcquirerReference, last: [UInt8])] = []
        var queries = 0
        var inside = 0
        var mostInside = 0
        var queryFailures = 0
    }

    let name: String
    private let state = Locked(State())
    /// How long each request stays.
    let delay: Duration
    /// Where the answers to sends wait, if they do.
    let gate: Gate?

    init(
        _ script: [Send] = [], named name: String = "unionpay", delay: Duration = .zero,
        answersBehind gate: Gate? = nil, queryFailures: Int = 0
    ) {
        self.name = name
        self.delay = delay
        self.gate = gate
        state.withLock {
            $0.script = script
            $0.queryFailures = queryFailures
        }
    }

    var book: [AcquirerReference: Booking] { state.withLock { $0.book } }
    /// The keys of the sends that arrived, in their order.
    var received: [AcquirerReference] { state.withLock { $0.received.map(\.reference) } }
    var queries: Int { state.withLock { $0.queries } }
    /// The most requests that were here at once.
    var mostInside: Int { state.withLock { $0.mostInside } }

    func send(_ charge: Charge, card: borrowing CardData, at time: Timestamp) async -> SendOutcome {
        guard let reference = charge.reference else { return .notSent(reason: "no reference") }
        let digits = card.withField(.accountNumber) { Array($0.suffix(4)) } ?? []
        let behaviour = state.withLock { state in
            state.inside += 1
            state.mostInside = max(state.mostInside, state.inside)
            return state.script.isEmpty ? .accept : state.script.removeFirst()
        }
        defer { state.withLock { $0.inside -= 1 } }
        if delay > .zero { try? await Task.sleep(for: delay) }
        if case .refuseConnection = behaviour { return .notSent(reason: "connection refused", fault: .unreachable) }
        if case .refuseCard = behaviour { return .unsendable(reason: "the card data have no EMV data") }
        let isRepeated = state.withLock { state in
            state.received.append((reference, digits))
            return state.book[reference] != nil
        }
        await gate?.wait()
        if isRepeated { return .answered(answer(.alreadyKnown, charge, reference, "12")) }
        switch behaviour {
        case .accept:
            enter(charge, reference, isPaid: true)
            return .answered(answer(.accepted, charge, reference, "00"))
        case .decline(let reason):
            enter(charge, reference, isPaid: false)
            return .answered(answer(.declined(reason), charge, reference, "64"))
        case .loseAnswer:
            enter(charge, reference, isPaid: true)
            return .unknown(reason: "connection lost")
        case .hang, .hangUnbooked:
            if case .hang = behaviour { enter(charge, reference, isPaid: true) }
            try? await Task.sleep(for: .seconds(3_600))
            return .unknown(reason: "cancelled")
        case .refuseSignature:
            return .answered(
                AcquirerAnswer(
                    .declined(.configuration), result: AcquirerResult(reference: reference, code: "11"),
                    fault: .signatureRefused))
        case .loseRequest, .refuseConnection, .refuseCard: return .unknown(reason: "timeout")
        }
    }

    func query(_ charge: Charge, at time: Timestamp) async -> QueryOutcome {
        guard let reference = charge.reference else { return .failed(reason: "no reference") }
        let (booking, fails) = state.withLock { state in
            state.queries += 1
            state.queryFailures -= 1
            return (state.book[reference], state.queryFailures >= 0)
        }
        if fails { return .failed(reason: "HTTP 503") }
        guard let booking else { return .answered(answer(.notFound, charge, reference, "34")) }
        return .answered(
            booking.isPaid
                ? answer(.succeeded(remark: nil), charge, reference, "00", of: booking.order)
                : answer(.declined(.insufficientFunds), charge, reference, "64", of: booking.order))
    }

    /// Takes `paid=` or `declined=` and an order number as a notification; refuses `refused=` with that reason.
    func notification(_ request: HTTPRequest, at time: Timestamp) throws(NotificationError) -> AcquirerNotification {
        let text = String(decoding: request.body, as: UTF8.self).split(separator: "=", maxSplits: 1)
        if let code = text.last.flatMap({ NotificationError.Code(rawValue: String($0)) }), text[0] == "refused" {
            throw NotificationError(code, "a forgery")
        }
        guard text.count == 2, text[0] == "paid" || text[0] == "declined" else {
            throw NotificationError(.malformed, "not a notification")
        }
        guard let reference = book.keys.first(where: { $0.orderNumber == text[1] }) else {
            let unknown = AcquirerReference(
                acquirer: name, account: Shop.account, orderNumber: String(text[1]), time: time)
            return AcquirerNotification(
                reference: unknown,
                answer: AcquirerAnswer(
                    .succeeded(remark: nil), result: AcquirerResult(reference: unknown, code: "00")))
        }
        let verdict: Verdict = text[0] == "paid" ? .succeeded(remark: nil) : .declined(.other)
        return AcquirerNotification(
            reference: reference,
            answer: AcquirerAnswer(verdict, result: AcquirerResult(reference: reference, code: "00")))
    }

    /// Books a command's charge as paid, as if it had been sent.
    func book(_ command: ChargeRequested, of gateway: TestGateway) async throws {
        let order = try await gateway.transactions.step(command.order, in: 0) { order, _ in ([], order.machine) }
        guard let charge = order?.outcome[command.operation]?.charge, let reference = charge.reference else {
            throw CancellationError()
        }
        enter(charge, reference, isPaid: true)
    }

    private func enter(_ charge: Charge, _ reference: AcquirerReference, isPaid: Bool) {
        state.withLock {
            $0.book[reference] = Booking(order: charge.order, amount: charge.amount.minorUnits, isPaid: isPaid)
        }
    }

    /// - Parameter order: whose transaction is booked; nil for the answer to a send, which repeats its own.
    private func answer(
        _ verdict: Verdict, _ charge: Charge, _ reference: AcquirerReference, _ code: String, of order: OrderID? = nil
    ) -> AcquirerAnswer {
        let reserved = order.map { $0.description + charge.payment.description } ?? charge.reserved
        return AcquirerAnswer(
            verdict, result: AcquirerResult(reference: reference, code: code),
            echoed: EchoedFields(reserved: reserved, amount: charge.amount.minorUnits, currency: "156"))
    }
}
