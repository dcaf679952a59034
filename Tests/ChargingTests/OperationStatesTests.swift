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
        let charges = await causes(chargedOrders(), of: { $0.operations })
        let followUps = await causes(followedOrders(), of: { $0.followUps })
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

    /// What decides how an operation goes on, but for the times. One operation of each situation is looked at.
    private struct Situation: Hashable {
        let state: OperationState
        let kind: OperationKind
        let isClosed: Bool
        let isFirstAttempt: Bool
        let isQueriedAfterFiles: Bool
        let canStillSend: Bool

        init(_ order: OrderMachine, _ operation: OperationMachine) {
            var state = operation.state
            func forget(_ time: inout Timestamp?) { if time != nil { time = Sample.start } }
            isQueriedAfterFiles = state.absentSince.map { $0 <= state.queriedAt ?? Sample.start } ?? false
            (state.unsent, state.sends) = (0, min(state.possibleSends, 2))
            (state.queries, state.transition, state.serial) = (0, 0, nil)
            state.lastSuspect = state.lastSuspect.map { min($0, 1) }
            forget(&state.sentAt)
            state.acceptedAt = nil
            forget(&state.openSince)
            forget(&state.queriedAt)
            forget(&state.absentSince)
            state.next = state.next.map { NextStep($0.kind, at: Sample.start) }
            self.state = state
            canStillSend = operation.canStillSend(at: operation.dueAt ?? Sample.start)
            kind = operation.subject.kind
            isClosed = order.closure != nil
            isFirstAttempt = operation.subject.followUp.map { $0.attempt == 0 } ?? true
        }
    }

    /// Every change of state that one input makes, by what it is.
    private static func causes(
        _ orders: [OrderMachine], of operations: (OrderMachine) -> [OperationMachine]
    ) async -> [Step: Set<InputCause>] {
        var causes: [Step: Set<InputCause>] = [:]
        var seen: Set<Situation> = []
        var waiting = orders.flatMap { order in operations(order).map { (order, $0) } }
        while let (order, operation) = waiting.popLast() {
            let here = Situation(order, operation)
            guard seen.insert(here).inserted else { continue }
            await Task.yield()
            let (id, was) = (operation.subject.operation, operation.state)
            func note(_ after: OrderMachine, _ cause: InputCause) {
                guard let now = after[id] else { return }
                if now.state.phase != was.phase {
                    causes[Step(from: was.phase, to: now.state.phase), default: []].insert(cause)
                }
                // The stories have no such answers and files, nor the query after files that lack it.
                let situation = Situation(after, now)
                let isOfFiles =
                    now.state.absentSince != nil
                    && (was.absentSince == nil || (situation.isQueriedAfterFiles && !here.isQueriedAfterFiles))
                if now.state.phase == .conflicted || isOfFiles, !seen.contains(situation) {
                    waiting.append((after, now))
                }
            }
            for wait in [0, 3 * 3_600, 40 * 86_400] {
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
    private static func chargedOrders() async -> [OrderMachine] {
        var orders: [OrderMachine] = [OperationKind.sale, .authorisation].map { PaymentStory($0).order }
        // A notification of something that was not sent yet.
        var named = OrderMachine(order: Sample.order, policy: ChargingPolicy())
        let charge = Sample.charge()
        let claim = PaymentStory.answer(.succeeded(remark: nil), .charge(charge))
        _ = named.receive(.charge(charge), at: Sample.start)
        _ = named.receive(.operation(charge.operation, .notified(claim)), at: Sample.start)
        orders.append(named)
        for seed in 1...60 {
            await Task.yield()
            var random = RandomChoices(state: UInt64(seed) &* 0x9e37_79b9_7f4a_7c15 | 1)
            var simulation = ChargingSimulation(fate: SmallScopeTests.fate(random.truth, random.truth))
            simulation.isWide = true
            for _ in 1...25 {
                let events = simulation.possible(charges: SmallScopeTests.charges)
                simulation.happen(events[Int(random.next() % UInt64(events.count))])
                orders.append(simulation.order)
                var lost = simulation.order
                lost.suspectForgottenSends(at: simulation.time)
                for charge in SmallScopeTests.charges {
                    _ = lost.receive(.charge(charge, mayHaveBeenSent: true), at: simulation.time)
                }
                orders.append(lost)
                // A recovery may find it closed beside a charge that is open again.
                if lost.closure == nil {
                    lost.closure = OrderClosure(reason: .cancelled)
                    orders.append(lost)
                }
            }
        }
        return orders
    }

    /// Orders in the middle of stories about captures, voids and refunds.
    private static func followedOrders() async -> [OrderMachine] {
        var orders: [OrderMachine] = []
        for kind in FollowUpKind.allCases {
            // A notification of something that was not sent yet; and something that is asked for before it is sent.
            var story = PaymentStory(kind == .capture ? .authorisation : .sale)
            story.ask(kind)
            let before = story
            let claim = PaymentStory.answer(.succeeded(remark: nil), story.last.subject)
            story.take(.operation(story.last.subject.operation, .notified(claim)))
            var asked = before
            asked.take(.operation(asked.last.subject.operation, .due(.ready)), after: FollowUpKey.slot)
            orders += [story.order, asked.order]
        }
        for seed in 1...40 {
            for kind in [OperationKind.sale, .authorisation] {
                await Task.yield()
                var simulation = FollowUpSimulation(kind, seed: UInt64(seed) &* 0x9e37_79b9_7f4a_7c15 | 1)
                for _ in 1...50 {
                    let all = FollowUpSimulation.Event.allCases
                    simulation.happen(all[Int(simulation.random.next() % UInt64(all.count))])
                    orders.append(simulation.order)
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
