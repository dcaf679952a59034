import Contracts
import Foundation
import Testing

@testable import Charging

/// The table of states in docs/architecture.md: what the machine does in each state that stories reach, with each input.
@Suite("The states of operations")
struct OperationStatesTests {
    /// From a state to another.
    private struct Step: Hashable {
        let from: OperationPhase
        let to: OperationPhase
    }

    private static let header = "| from | to | a charge, by | a capture, void or refund, by |"
    private static let page = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../docs/architecture.md").standardizedFileURL

    @Test("are those of docs/architecture.md (Tests/record states writes them again)")
    func table() async throws {
        let lines = try String(contentsOf: Self.page, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex { $0 == Self.header })
        let end = lines[start...].firstIndex { $0.isEmpty } ?? lines.endIndex
        let text = await Self.text()
        if ProcessInfo.processInfo.environment["ORCHARD_RECORD"] == "states" {
            let page = (lines[..<start] + text.map { Substring($0) } + lines[end...]).joined(separator: "\n")
            return try Data(page.utf8).write(to: Self.page)
        }
        #expect(lines[start..<end].map(String.init) == text)
    }

    private static func text() async -> [String] {
        let charges = await causes(await chargedOrders().flatMap { order in order.operations.map { (order, $0) } })
        let followUps = await causes(await followedOrders().flatMap { order in order.followUps.map { (order, $0) } })
        var lines = [header, "|---|---|---|---|"]
        for from in OperationPhase.allCases {
            for to in OperationPhase.allCases {
                let cells = [charges, followUps].map { causes in
                    InputCause.allCases.filter { causes[Step(from: from, to: to)]?.contains($0) == true }
                        .map(\.rawValue).joined(separator: ", ")
                }
                if cells.contains(where: { !$0.isEmpty }) {
                    lines.append("| `\(from)` | `\(to)` | \(cells[0]) | \(cells[1]) |".replacing("|  |", with: "| |"))
                }
            }
        }
        return lines
    }

    /// Every change of state that one input makes, by what it is.
    private static func causes(_ found: [(OrderMachine, OperationMachine)]) async -> [Step: Set<InputCause>] {
        var causes: [Step: Set<InputCause>] = [:]
        var seen: Set<OperationMachine> = []
        var waiting = found
        while let (order, operation) = waiting.popLast() {
            guard seen.insert(operation).inserted else { continue }
            await Task.yield()
            let (id, was) = (operation.subject.operation, operation.state)
            func note(_ after: OrderMachine, _ cause: InputCause) {
                guard let now = after[id] else { return }
                if now.state.phase != was.phase {
                    causes[Step(from: was.phase, to: now.state.phase), default: []].insert(cause)
                }
                // The stories have no such answers and files, nor the query after files that lack it.
                func isQueriedAfterFiles(_ state: OperationState) -> Bool {
                    guard let absent = state.absentSince, let queried = state.queriedAt else { return false }
                    return queried >= absent
                }
                let isNew =
                    now.state.phase == .conflicted || now.state.absentSince != was.absentSince
                    || (isQueriedAfterFiles(now.state) && !isQueriedAfterFiles(was))
                if isNew, isFirstWait { waiting.append((after, now)) }
            }
            var isFirstWait = true
            for wait in [0, 3 * 3_600, 40 * 86_400] {
                defer { isFirstWait = false }
                let time = (operation.dueAt ?? Sample.start) + .seconds(wait)
                for (cause, input) in InputCause.inputs(of: operation) {
                    var after = order
                    _ = after.receive(.operation(id, input), at: time)
                    note(after, cause)
                }
                var after = order
                after.suspectForgottenSends(at: time)
                note(after, .recovery)
            }
        }
        return causes
    }

    /// Orders in the middle of stories about two tokens, and of one that a lost database forgot.
    private static func chargedOrders() async -> Set<OrderMachine> {
        var orders: Set<OrderMachine> = []
        for seed in 1...20 {
            await Task.yield()
            var random = RandomChoices(state: UInt64(seed) &* 0x9e37_79b9_7f4a_7c15 | 1)
            var simulation = ChargingSimulation(fate: SmallScopeTests.fate(random.truth, random.truth))
            simulation.isWide = true
            for _ in 1...25 {
                let events = simulation.possible(charges: SmallScopeTests.charges)
                simulation.happen(events[Int(random.next() % UInt64(events.count))])
                orders.insert(simulation.order)
                var lost = simulation.order
                lost.suspectForgottenSends(at: simulation.time)
                for charge in SmallScopeTests.charges {
                    _ = lost.receive(.charge(charge, mayHaveBeenSent: true), at: simulation.time)
                }
                orders.insert(lost)
            }
            for kind in [OperationKind.sale, .authorisation] { orders.insert(PaymentStory(kind).order) }
        }
        return orders
    }

    /// Orders in the middle of stories about captures, voids and refunds.
    private static func followedOrders() async -> Set<OrderMachine> {
        var orders: Set<OrderMachine> = []
        for seed in 1...12 {
            for kind in [OperationKind.sale, .authorisation] {
                await Task.yield()
                var simulation = FollowUpSimulation(kind, seed: UInt64(seed) &* 0x9e37_79b9_7f4a_7c15 | 1)
                for _ in 1...50 {
                    let all = FollowUpSimulation.Event.allCases
                    simulation.happen(all[Int(simulation.random.next() % UInt64(all.count))])
                    orders.insert(simulation.order)
                }
            }
        }
        return orders
    }
}

/// What an input of an operation is, in the words of docs/architecture.md.
private enum InputCause: String, CaseIterable {
    case time, answer = "answer to a send", query, notification, file = "settlement file", person, recovery

    /// Every kind of input, as it can come to this operation.
    static func inputs(of operation: OperationMachine) -> [(InputCause, OperationInput)] {
        let (subject, sends) = (operation.subject, operation.state.sends)
        let refused: Verdict = subject.charge == nil ? .failed(.refused) : .declined(.insufficientFunds)
        let verdicts: [Verdict] = [
            .accepted, .succeeded(remark: nil), refused, .alreadyKnown, .alreadyReturned, .unclear, .notFound,
            .tooManyQueries, .succeeded(remark: Remark("charged, but too late", isOfFailure: true)),
        ]
        var answers = verdicts.map { PaymentStory.answer($0, subject) }
        let other = PaymentStory.answer(.succeeded(remark: nil), subject)
        answers.append(
            AcquirerAnswer(
                .succeeded(remark: nil), result: other.result, echoed: EchoedFields(reserved: "another order")))
        var inputs: [(InputCause, OperationInput)] = [
            (.time, .due(.ready)), (.time, .due(.keyUnknown)), (.time, .due(.unreadable)),
            (.answer, .sent(attempt: sends, .notSent(reason: "refused"))),
            (.answer, .sent(attempt: sends, .unsendable(reason: "no EMV"))),
            (.answer, .sent(attempt: sends, .unknown(reason: "timeout"))),
            (.query, .queried(.failed(reason: "timeout"))), (.query, .queried(.misconfigured(reason: "no rights"))),
            (.file, .settled(PaymentStory.answer(.succeeded(remark: nil), subject))),
        ]
        inputs += answers.map { (.answer, .sent(attempt: sends, .answered($0))) }
        inputs += answers.map { (.query, .queried(.answered($0))) }
        inputs += answers.map { (.notification, .notified($0)) }
        if let last = operation.possibleKeys.last { inputs.append((.file, .absentInFiles(last))) }
        for outcome in [Resolution.Outcome.paid, .notCharged] {
            if let word = Resolution(outcome, reason: "hotline", by: "li.wei") {
                inputs.append((.person, .resolved(word)))
            }
        }
        return inputs
    }
}
