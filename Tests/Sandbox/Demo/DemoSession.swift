import Contracts
import Foundation
import KafkaBridge
import OrchardCrypto
import OrchardHTTPClient
import OrchardPostgres
import OrchardServiceKit

/// Plays the script with the services, a number of customers at a time.
struct DemoSession: Sendable {
    let environment: DemoEnvironment
    let script: DemoScript
    let client: HTTPClient
    let producer: KafkaProducer
    let screen: Screen
    /// How many customers shop at once.
    let customers: Int
    /// How long a device waits for an outcome.
    let timeout: Duration

    /// Plays every order; one that cannot be played is reported as a finding.
    ///
    /// - Parameter inFlight: counts payments that wait for their outcome.
    func play(inFlight: InFlight) async throws -> (results: [OrderPlay.Result], failures: [Finding]) {
        let run = RunName.random()
        let cancelLead = CancelLead()
        var results: [OrderPlay.Result] = []
        var failures: [Finding] = []
        var waiting = script.orders[...]
        try await withThrowingTaskGroup(of: Result<OrderPlay.Result, Failure>.self) { group in
            func startNext() {
                guard let order = waiting.popFirst() else { return }
                let play = self.play(of: order, run: run, cancelLead, inFlight)
                group.addTask {
                    do { return .success(try await play.play()) } catch {
                        return .failure(Failure(order: order, reason: "\(error)"))
                    }
                }
            }
            for _ in 0..<customers { startNext() }
            while let result = try await group.next() {
                try Task.checkCancellation()
                switch result {
                case .success(let result): results.append(result)
                case .failure(let failure):
                    failures.append(Finding(scenario: failure.order.scenario, book: "device", text: failure.reason))
                }
                let done = results.count + failures.count
                if done % 20 == 0 || done == script.orders.count {
                    screen.show(progress: progress(done, results, inFlight))
                }
                startNext()
            }
        }
        return (results.sorted { $0.played.script.number < $1.played.script.number }, failures)
    }

    /// Plays what shops do when the acquirer's day is over; what cannot be played is reported as a finding.
    func playEvening(of results: [OrderPlay.Result]) async throws -> [Finding] {
        let run = RunName.random()
        let open = results.filter { !$0.played.script.followUpsByDay.evening.isEmpty }
        return try await withThrowingTaskGroup(of: Finding?.self) { group in
            for played in open.map(\.played) {
                let play = self.play(of: played.script, run: run, CancelLead(), InFlight())
                group.addTask {
                    do { try await play.playEvening(of: played.order) } catch {
                        return Finding(
                            order: played.order, scenario: played.script.scenario, book: "device", text: "\(error)")
                    }
                    return nil
                }
            }
            var findings: [Finding] = []
            for try await finding in group { finding.map { findings.append($0) } }
            try Task.checkCancellation()
            return findings
        }
    }

    private struct Failure: Error {
        let order: ScriptedOrder
        let reason: String
    }

    private func play(
        of order: ScriptedOrder, run: String, _ cancelLead: CancelLead, _ inFlight: InFlight
    ) -> OrderPlay {
        let ledger = Wire(client: client, workers: environment.ledgers.map(\.address))
        let merchant = environment.workspace.merchants[order.merchant]
        return OrderPlay(
            script: order, merchant: merchant, shop: ShopServer(apiKey: merchant.apiKey, ledger: ledger),
            device: Device(
                wallet: environment.wallet, ingest: Wire(client: client, workers: environment.ingests.map(\.address)),
                ledger: ledger, inFlight: inFlight),
            lateCommands: LateCommands(
                producer: producer, workspace: environment.workspace, topic: Topic.charges.name,
                partitions: environment.kafka.partitions),
            cancelLead: cancelLead, run: run, timeout: timeout)
    }

    private func progress(_ done: Int, _ results: [OrderPlay.Result], _ inFlight: InFlight) -> String {
        let published = results.flatMap(\.published)
        let paid = published.count { $0.charged > 0 }
        let declined = published.count { if case .declined = $0 { true } else { false } }
        return "\(done) of \(script.orders.count) orders: \(paid) paid, \(declined) declined, "
            + "\(published.count - paid - declined) refused or rejected, \(inFlight.count) in flight"
    }
}
