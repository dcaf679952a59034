import Acquirers
import Charging
import Contracts
import FaultyServer
import Foundation
import OrchardHTTPClient
import OrchardHTTPTypes
import OrchardServiceKit

/// What the suite needs to know of a connector.
public protocol ConformanceSubject: Sendable {
    /// The type that is listed in ``Acquirers/AcquirerDirectory/setups``.
    static var setup: any AcquirerSetup.Type { get }
    /// How its HTTP client is set up; with short times, because servers that never answer are played.
    var client: HTTPClientConfiguration { get }

    /// The connector, for an acquirer at an address such as `http://127.0.0.1:1234`.
    func connector(at address: String, client: HTTPClient, logger: Logger) throws -> any Acquirer

    /// A charge that the connector can send.
    ///
    /// - Parameter minorUnits: its amount.
    func charge(minorUnits: Int64, currency: Currency) throws -> Charge

    /// Card data that the connector can send.
    func card() throws -> CardData

    /// The acquirer's number of a charge that is done, in its form; nil when the connector needs none. Nil where it is not
    /// declared.
    var originalSerial: String? { get }

    /// Texts that stand in the card data and must appear nowhere: the card number, the cryptogram.
    var secrets: [String] { get }
}

extension ConformanceSubject {
    public var originalSerial: String? { nil }
}

/// A rule of connectors that does not hold.
public struct ConformanceFinding: Hashable, Sendable, CustomStringConvertible {
    public let rule: String
    public let reason: String

    public var description: String { "\(rule): \(reason)" }
}

/// The conformance suite for connectors: what the gateway relies on, tried against servers that misbehave.
///
/// It needs no acquirer. What an acquirer's own answers mean only the connector's tests can show.
public struct ConnectorConformance: Sendable {
    let subject: any ConformanceSubject

    public init(_ subject: any ConformanceSubject) { self.subject = subject }

    /// Tries every rule.
    ///
    /// - Returns: what does not hold; nothing when the connector conforms.
    public func run() async throws -> [ConformanceFinding] {
        var findings = declarations()
        findings += try await refusedConnection()
        for fault in PlayedFault.all { findings += try await play(fault) }
        findings += try await unsupportedCurrency()
        findings += try await foreignCharge()
        findings += try await undeclaredAuthorisation()
        findings += try await followUps()
        findings += try await notifications()
        return findings
    }

    // MARK: - What it declares

    private func declarations() -> [ConformanceFinding] {
        let setup = type(of: subject).setup
        var findings: [ConformanceFinding] = []
        func expect(_ holds: Bool, _ reason: String) {
            if !holds { findings.append(ConformanceFinding(rule: "declares what it is", reason: reason)) }
        }
        let isName =
            !setup.name.isEmpty && setup.name.utf8.count <= 32
            && setup.name.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" }
        expect(isName, "a name has 1 to 32 of a-z, 0-9 and -: \(setup.name)")
        expect(setup.capabilities.operations.contains(.sale), "it can make no sale")
        expect(!setup.capabilities.currencies.isEmpty, "it takes no currency")
        expect(!setup.capabilities.paymentData.isEmpty, "it takes no card data")
        expect(
            Set(setup.endpoints.map { "\($0.method) \($0.path)" }).count == setup.endpoints.count,
            "two endpoints have one method and path")
        for endpoint in setup.endpoints {
            expect(
                endpoint.path.isEmpty || endpoint.path.hasPrefix("/"), "a path begins with a slash: \(endpoint.path)")
        }
        return findings
    }

    // MARK: - Sends and queries

    /// No byte can have left when nobody listens.
    private func refusedConnection() async throws -> [ConformanceFinding] {
        let port = try FaultyServer { _, _ in }.port
        return try await withConnector(at: "http://127.0.0.1:\(port)") { connector, _ in
            var findings: [ConformanceFinding] = []
            let outcome = try await send(connector)
            if case .notSent(_, .unreachable?) = outcome {
            } else {
                findings.append(.init(rule: "a refused connection is notSent, unreachable", reason: "\(outcome)"))
            }
            let answer = await connector.query(try charge(), at: now)
            if case .failed = answer {
            } else {
                findings.append(.init(rule: "a query that cannot be sent has failed", reason: "\(answer)"))
            }
            return findings + leaks(in: ["\(outcome)", "\(answer)"], "a refused connection")
        }
    }

    /// Whatever a server does but a verified answer proves nothing, and the key is the same each time.
    private func play(_ fault: PlayedFault) async throws -> [ConformanceFinding] {
        let server = try FaultyServer { peer, _ in fault.play(peer) }
        return try await withConnector(at: String(server.url.dropLast())) { connector, log in
            var findings: [ConformanceFinding] = []
            let outcomes = [try await send(connector), try await send(connector)]
            for outcome in outcomes {
                if case .unknown = outcome { continue }
                findings.append(
                    .init(rule: "a send that may have arrived is unknown", reason: "\(fault.name): \(outcome)"))
            }
            let answer = await connector.query(try charge(), at: now)
            switch answer {
            case .failed, .misconfigured: break
            case .answered:
                findings.append(
                    .init(rule: "only a verified answer to a query counts", reason: "\(fault.name): \(answer)"))
            }
            let (requests, orderNumber) = (server.requests, try charge().reference?.orderNumber ?? "")
            if type(of: subject).setup.capabilities.hasIdempotencyKey {
                for request in requests where !request.contains(orderNumber) {
                    findings.append(
                        .init(rule: "each request carries the key", reason: "\(fault.name): \(request.prefix(60))"))
                }
            }
            if requests.count > 3 {
                findings.append(
                    .init(
                        rule: "a connector sends once", reason: "\(fault.name): \(requests.count) requests of 3 calls"))
            }
            let heads = requests.map { String($0.prefix { $0 != "\r\n" }) }
            return findings + leaks(in: outcomes.map { "\($0)" } + ["\(answer)"] + log.lines + heads, fault.name)
        }
    }

    /// A currency that the acquirer does not take never leaves.
    private func unsupportedCurrency() async throws -> [ConformanceFinding] {
        let taken = type(of: subject).setup.capabilities.currencies
        guard let other = Currency.all.first(where: { !taken.contains($0) }) else { return [] }
        let server = try FaultyServer { peer, _ in PlayedFault.garbage.play(peer) }
        return try await withConnector(at: String(server.url.dropLast())) { connector, _ in
            let charge = try subject.charge(minorUnits: 100, currency: other)
            let outcome = await connector.send(charge, card: try subject.card(), at: now)
            return unsent(outcome, "a currency that it does not take is unsendable", server)
        }
    }

    /// A charge of another acquirer never leaves.
    private func foreignCharge() async throws -> [ConformanceFinding] {
        let server = try FaultyServer { peer, _ in PlayedFault.garbage.play(peer) }
        return try await withConnector(at: String(server.url.dropLast())) { connector, _ in
            let own = try charge()
            guard let reference = own.reference else {
                return [.init(rule: "the subject's charge", reason: "has no key")]
            }
            let foreign = own.changed(reference: reference.atAnotherAcquirer)
            let outcome = await connector.send(foreign, card: try subject.card(), at: now)
            return unsent(outcome, "another acquirer's charge is not sent", server)
        }
    }

    /// A charge that shall hold the money is never sent as a sale.
    private func undeclaredAuthorisation() async throws -> [ConformanceFinding] {
        guard !type(of: subject).setup.capabilities.operations.contains(.authorisation) else { return [] }
        let server = try FaultyServer { peer, _ in PlayedFault.garbage.play(peer) }
        return try await withConnector(at: String(server.url.dropLast())) { connector, _ in
            let outcome = await connector.send(
                try charge().changed(kind: .authorisation), card: try subject.card(), at: now)
            return unsent(outcome, "an operation that it does not declare is unsendable", server)
        }
    }

    /// What must not leave has not left.
    func unsent(_ outcome: SendOutcome, _ rule: String, _ server: FaultyServer) -> [ConformanceFinding] {
        switch outcome {
        case .unsendable, .notSent: break
        case .unknown, .answered: return [.init(rule: rule, reason: "\(outcome)")]
        }
        return server.requests.isEmpty ? [] : [.init(rule: "nothing unsendable leaves", reason: "a request came")]
    }

    // MARK: - Notifications

    /// What nobody signed is not believed, whatever its bytes.
    private func notifications() async throws -> [ConformanceFinding] {
        try await withConnector(at: "http://127.0.0.1:9") { connector, _ in
            var findings: [ConformanceFinding] = []
            let setup = type(of: subject).setup
            for endpoint in setup.endpoints {
                for body in Self.hostileBodies {
                    let request = HTTPRequest(
                        method: endpoint.method, target: "/v1/notifications/\(setup.name)\(endpoint.path)",
                        fields: endpoint.contentType.map { ["Content-Type": $0] } ?? [:], body: body)
                    do throws(NotificationError) {
                        _ = try connector.notification(request, at: now)
                        findings.append(
                            .init(
                                rule: "an unsigned notification is refused", reason: "\(body.count) bytes were believed"
                            ))
                    } catch {
                        if error.reason.utf8.count > 500 {
                            findings.append(
                                .init(rule: "a reason is short", reason: "it has \(error.reason.utf8.count) bytes"))
                        }
                    }
                }
            }
            return findings
        }
    }

    private static let hostileBodies: [[UInt8]] = [
        [], Array("{}".utf8), Array("orderId=1&respCode=00".utf8), [0xFF, 0xFE, 0x00],
        Array(#"{"signature":"","status":"paid"}"#.utf8), Array(repeating: 0x26, count: 65_536),
        Array(repeating: 0x5B, count: 65_536),
    ]

    // MARK: - Help

    /// The seconds at which the subject's charge is sent.
    var now: Timestamp { Timestamp(seconds: Int64(Date().timeIntervalSince1970)) }

    func charge() throws -> Charge {
        let currency = type(of: subject).setup.capabilities.currencies.sorted { $0.code < $1.code }.first
        return try subject.charge(minorUnits: 1_234, currency: currency ?? .cny)
    }

    private func send(_ connector: any Acquirer) async throws -> SendOutcome {
        await connector.send(try charge(), card: try subject.card(), at: now)
    }

    func leaks(in texts: [String], _ place: String) -> [ConformanceFinding] {
        subject.secrets.filter { secret in texts.contains { $0.contains(secret) } }.map { _ in
            .init(
                rule: "card data stay in the request's body",
                reason: "\(place): a secret is in a reason, line or address")
        }
    }

    func withConnector(
        at address: String, _ body: (any Acquirer, CollectedLines) async throws -> [ConformanceFinding]
    ) async throws -> [ConformanceFinding] {
        let log = CollectedLines()
        let logger = Logger(label: "conformance", level: .debug, handler: log)
        let client = HTTPClient(configuration: subject.client, logger: logger)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await client.run() }
            defer { group.cancelAll() }
            let connector = try subject.connector(at: address, client: client, logger: logger)
            return try await body(connector, log)
        }
    }
}

extension Charge {
    /// The charge of another kind or under another key.
    fileprivate func changed(kind: OperationKind? = nil, reference: AcquirerReference? = nil) -> Charge {
        Charge(
            order: order, payment: payment, merchant: merchant, kind: kind ?? self.kind, revision: revision,
            amount: amount, expiresAt: expiresAt, signedAt: signedAt, card: card, route: route,
            reference: reference ?? self.reference)
    }
}

extension AcquirerReference {
    var atAnotherAcquirer: AcquirerReference {
        AcquirerReference(acquirer: "another", account: account, orderNumber: orderNumber, time: time)
    }
}
