import Acquirers
import Charging
import Contracts
import FaultyServer
import OrchardHTTPClient
import OrchardServiceKit

/// The rules for captures, voids and refunds: those of charges, under keys of their own.
extension ConnectorConformance {
    func followUps() async throws -> [ConformanceFinding] {
        var findings: [ConformanceFinding] = []
        for kind in FollowUpKind.allCases {
            if type(of: subject).setup.capabilities.operations.contains(kind.operation) {
                findings += try await refusedConnection(kind)
                for fault in PlayedFault.all { findings += try await play(fault, kind) }
                findings += try await unfit(kind)
            } else {
                findings += try await undeclared(kind)
            }
        }
        return findings
    }

    /// No byte can have left when nobody listens.
    private func refusedConnection(_ kind: FollowUpKind) async throws -> [ConformanceFinding] {
        let port = try FaultyServer { _, _ in }.port
        return try await withConnector(at: "http://127.0.0.1:\(port)") { connector, _ in
            var findings: [ConformanceFinding] = []
            let outcome = await connector.send(try followUp(kind), at: now)
            if case .notSent(_, .unreachable?) = outcome {
            } else {
                findings.append(
                    .init(rule: "a refused connection is notSent, unreachable", reason: "\(kind): \(outcome)"))
            }
            let answer = await connector.query(try followUp(kind), at: now)
            if case .failed = answer {
            } else {
                findings.append(.init(rule: "a query that cannot be sent has failed", reason: "\(kind): \(answer)"))
            }
            return findings
        }
    }

    /// Whatever a server does but a verified answer proves nothing; each request carries its attempt's key.
    private func play(_ fault: PlayedFault, _ kind: FollowUpKind) async throws -> [ConformanceFinding] {
        let server = try FaultyServer { peer, _ in fault.play(peer) }
        return try await withConnector(at: String(server.url.dropLast())) { connector, log in
            var findings: [ConformanceFinding] = []
            let place = "\(kind), \(fault.name)"
            let (first, second) = (try followUp(kind), try followUp(kind, attempt: 1))
            let outcomes = [await connector.send(first, at: now), await connector.send(second, at: now)]
            for outcome in outcomes {
                if case .unknown = outcome { continue }
                findings.append(
                    .init(rule: "a send that may have arrived is unknown", reason: "\(place): \(outcome)"))
            }
            let answer = await connector.query(second, at: now)
            switch answer {
            case .failed, .misconfigured: break
            case .answered:
                findings.append(.init(rule: "only a verified answer to a query counts", reason: "\(place): \(answer)"))
            }
            let requests = server.requests
            if requests.count > 3 {
                findings.append(
                    .init(rule: "a connector sends once", reason: "\(place): \(requests.count) requests of 3 calls"))
            } else if type(of: subject).setup.capabilities.hasIdempotencyKey {
                let numbers = [first, second, second].map(\.reference.orderNumber)
                for (request, number) in zip(requests, numbers) where !request.contains(number) {
                    findings.append(.init(rule: "each request carries the key", reason: place))
                }
            }
            return findings + leaks(in: outcomes.map { "\($0)" } + ["\(answer)"] + log.lines, place)
        }
    }

    /// Another acquirer's, or one in a currency that it does not take, never leaves.
    private func unfit(_ kind: FollowUpKind) async throws -> [ConformanceFinding] {
        let server = try FaultyServer { peer, _ in PlayedFault.garbage.play(peer) }
        return try await withConnector(at: String(server.url.dropLast())) { connector, _ in
            let foreign = try followUp(kind) { $0.atAnotherAcquirer }
            var findings = unsent(
                await connector.send(foreign, at: now), "another acquirer's follow-up is not sent", server)
            let taken = type(of: subject).setup.capabilities.currencies
            if let other = Currency.all.first(where: { !taken.contains($0) }) {
                let outcome = await connector.send(
                    try followUp(kind, amount: Money(minorUnits: 100, currency: other)), at: now)
                findings += unsent(outcome, "a currency that it does not take is unsendable", server)
            }
            return findings
        }
    }

    /// What it does not declare never leaves.
    private func undeclared(_ kind: FollowUpKind) async throws -> [ConformanceFinding] {
        let server = try FaultyServer { peer, _ in PlayedFault.garbage.play(peer) }
        return try await withConnector(at: String(server.url.dropLast())) { connector, _ in
            let outcome = await connector.send(try followUp(kind), at: now)
            return unsent(outcome, "an operation that it does not declare is unsendable", server)
        }
    }

    /// What follows the subject's charge.
    private func followUp(
        _ kind: FollowUpKind, amount: Money? = nil, attempt: Int = 0,
        _ change: (AcquirerReference) -> AcquirerReference = { $0 }
    ) throws -> FollowUp {
        let charge = try charge()
        guard let reference = charge.reference else { throw SubjectError() }
        return FollowUp(
            order: charge.order, payment: charge.payment, merchant: charge.merchant, kind: kind,
            target: kind == .void ? .sale : nil, cause: .lateSuccess(charge.payment), causedAt: reference.time,
            amount: amount ?? charge.amount, original: change(reference), originalSerial: subject.originalSerial,
            attempt: attempt)
    }

    private struct SubjectError: Error, CustomStringConvertible {
        var description: String { "the subject's charge has no key" }
    }
}
