import Charging
import Contracts
import Foundation
import OrchardHTTPClient
import OrchardHTTPTypes
import OrchardJSON
import OrchardServiceKit
import SandboxAcquirer
import Testing

@testable import Acquirers

/// A merchant with a connector to a simulator, whose clock it moves.
final class SimulatedShop: Sendable {
    /// A transaction that was done.
    struct Done: Sendable {
        let charge: Charge
        let reference: AcquirerReference
        let serial: String
    }

    private let url: String
    private let client: HTTPClient
    private let patient: UnionPay
    private let brief: UnionPay
    /// Seconds that the acquirer's clock is ahead.
    private let offset = Locked<Int64>(0)
    private let commands = Locked(0)

    init(pki: AcquirerPKI, url: String, client: HTTPClient) throws {
        (self.url, self.client) = (url, client)
        func connector(_ timeout: Duration) throws -> UnionPay {
            try UnionPayFixture(pki: pki, url: url, notifications: "http://127.0.0.1:9/notify", client: client) {
                $0.saleTimeout = timeout
            }.unionPay
        }
        (patient, brief) = (try connector(.seconds(30)), try connector(.seconds(2)))
    }

    /// The acquirer's time.
    var now: Timestamp { UnionPayFixture.now + .seconds(offset.withLock { $0 }) }

    /// Moves the acquirer's clock on to the next time that Beijing's clocks show that hour; first of tomorrow, so that no
    /// test depends on the time of day.
    func moveClock(toBeijingHour hour: Int64) async throws {
        let day: Int64 = 86_400
        let local = now.seconds + 8 * 3_600
        let isFirst = offset.withLock { $0 == 0 }
        var wanted = local - local % day + hour * 3_600 + (isFirst ? day : 0)
        if wanted <= local { wanted += day }
        let ahead = offset.withLock { offset in
            offset += wanted - local
            return offset
        }
        let request = HTTPClientRequest(
            method: .post, url: url + "/_control/clock", fields: ["Content-Type": "application/json"],
            body: JSONValue.object(["offset_s": .integer(ahead)]).bytes, timeout: .seconds(30))
        guard case .answered(let answer) = await client.send(request) else {
            throw SimulatorError(reason: "its clock cannot be moved")
        }
        #expect(answer.response.status.code == 200)
    }

    /// A charge that is done.
    func charge(_ name: String, _ fen: Int64, _ kind: OperationKind = .sale) async throws -> Done {
        let charge = try Sample.charge(name, fen: fen, kind: kind, at: now)
        let outcome = await patient.send(charge, card: try Sample.card(), at: now)
        #expect(outcome.text == "accepted")
        return Done(
            charge: charge, reference: try #require(charge.reference),
            serial: try await serial { await self.patient.query(charge, at: self.now) })
    }

    /// A follow-up by a command of its own.
    func followUp(
        _ kind: FollowUpKind, _ target: OperationKind? = nil, of original: Done, _ fen: Int64, bySerial: Bool = true
    ) throws -> FollowUp {
        let command = commands.withLock { count in
            count += 1
            return count
        }
        return try Sample.followUp(
            kind, target: target, of: original.charge, "command \(command)", fen: fen,
            serial: bySerial ? original.serial : nil, original: original.reference, at: now)
    }

    /// A follow-up that is done, and that others can follow.
    func followed(_ kind: FollowUpKind, of original: Done, _ fen: Int64) async throws -> Done {
        let followUp = try followUp(kind, of: original, fen)
        #expect(await send(followUp).text == "accepted")
        return Done(
            charge: original.charge, reference: followUp.reference,
            serial: try await serial { await self.patient.query(followUp, at: self.now) })
    }

    /// The words of a new follow-up's answer, and of the query that decides.
    func follow(
        _ kind: FollowUpKind, _ target: OperationKind? = nil, of original: Done, _ fen: Int64, bySerial: Bool = true
    ) async throws -> [String] {
        let followUp = try followUp(kind, target, of: original, fen, bySerial: bySerial)
        let answer = await send(followUp).text
        for _ in 0..<50 {
            let outcome = await patient.query(followUp, at: now)
            if case .answered(let answer) = outcome {
                #expect(answer.echoed.reserved == followUp.reserved)
                #expect(answer.echoed.amount == fen)
            }
            if outcome.text != "accepted" { return [answer, outcome.text] }
            try await Task.sleep(for: .milliseconds(10))
        }
        return [answer]
    }

    func send(_ followUp: FollowUp, isPatient: Bool = true) async -> SendOutcome {
        await (isPatient ? patient : brief).send(followUp, at: now)
    }

    /// The words of queries until they are those expected, or too many to be.
    func queries(_ followUp: FollowUp, until expected: [String]) async throws -> [String] {
        var texts: [String] = []
        for _ in 0..<50 where texts != expected {
            let next = await patient.query(followUp, at: now).text
            if next != "accepted", next != texts.last { texts.append(next) }
            if texts != expected { try await Task.sleep(for: .milliseconds(10)) }
        }
        return texts
    }

    /// The acquirer's number of what a query shows as done.
    private func serial(_ query: () async -> QueryOutcome) async throws -> String {
        for _ in 0..<50 {
            if case .answered(let answer) = await query(), answer.verdict == .succeeded(remark: nil) {
                return try #require(answer.result.serial)
            }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw SimulatorError(reason: "the charge is not done")
    }
}

/// A simulator that does not do what a test needs.
struct SimulatorError: Error {
    let reason: String
}
