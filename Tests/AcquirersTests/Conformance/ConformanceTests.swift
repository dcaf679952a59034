import AcquirerConformance
import Charging
import Contracts
import Foundation
import OrchardHTTPClient
import OrchardServiceKit
import SandboxAcquirer
import TestSupport
import Testing

@testable import Acquirers

@Suite("The conformance suite for connectors", .timeLimit(.minutes(3)))
struct ConformanceTests {
    @Test("finds nothing wrong with UnionPay's")
    func unionPay() async throws {
        #expect(try await ConnectorConformance(UnionPaySubject()).run() == [])
    }

    @Test("finds nothing wrong with the example's, an acquirer without a key")
    func meadow() async throws {
        #expect(try await ConnectorConformance(MeadowSubject()).run() == [])
    }

    @Test("finds a connector that guesses, repeats, believes and leaks")
    func careless() async throws {
        let findings = try await ConnectorConformance(CarelessSubject()).run()
        let rules = Set(findings.map(\.rule))
        for rule in [
            "a send that may have arrived is unknown", "a connector sends once", "an unsigned notification is refused",
            "card data stay in the request's body", "only a verified answer to a query counts",
            "a currency that it does not take is unsendable", "another acquirer's charge is not sent",
            "another acquirer's follow-up is not sent", "an operation that it does not declare is unsendable",
            "a query that cannot be sent has failed",
        ] { #expect(rules.contains(rule), "\(rule): \(findings)") }
    }
}

private struct UnionPaySubject: ConformanceSubject {
    static let setup: any AcquirerSetup.Type = UnionPayConfiguration.self
    let fixture: UnionPayFixture
    var originalSerial: String? { Sample.serial }
    var secrets: [String] { [Sample.pan, Sample.pin] }

    init() throws { fixture = try UnionPayFixture() }

    var client: HTTPClientConfiguration {
        var client = fixture.unionPay.configuration.client
        client.totalTimeout = .seconds(1)
        return client
    }

    func connector(at address: String, client: HTTPClient, logger: Logger) throws -> any Acquirer {
        var configuration = fixture.unionPay.configuration
        configuration.url = address
        configuration.saleTimeout = .seconds(1)
        configuration.queryTimeout = .seconds(1)
        return try configuration.connector(
            for: UnionPayFixture.registry(), in: fixture.folder.url, client: client, logger: logger
        ).acquirer
    }

    func charge(minorUnits: Int64, currency: Currency) throws -> Charge {
        try Sample.charge(fen: minorUnits, currency: currency, at: UnionPayFixture.now)
    }

    func card() throws -> CardData { try Sample.card() }
}

private struct MeadowSubject: ConformanceSubject {
    static let setup: any AcquirerSetup.Type = MeadowConfiguration.self
    var secrets: [String] { [Sample.pan, "meadow-secret"] }

    var client: HTTPClientConfiguration {
        var client = HTTPClientConfiguration()
        client.totalTimeout = .seconds(1)
        return client
    }

    func connector(at address: String, client: HTTPClient, logger: Logger) throws -> any Acquirer {
        let route: [String: Any] = [
            "acquirer": "meadow", "account": "m-1", "currencies": ["JPY"], "paymentData": ["3DSecure"],
            "settings": ["shop": "Orchard Tea"],
        ]
        return try MeadowConfiguration(url: address, secret: "meadow-secret").connector(
            for: UnionPayFixture.registry(route), in: URL(filePath: "/"), client: client, logger: logger
        ).acquirer
    }

    func charge(minorUnits: Int64, currency: Currency) throws -> Charge { try Self.charge(minorUnits, currency) }

    static func charge(_ minorUnits: Int64, _ currency: Currency) throws -> Charge {
        let charge = try Sample.charge(fen: minorUnits, currency: currency, account: "m-1", at: UnionPayFixture.now)
        guard let reference = charge.reference else { return charge }
        return Charge(
            order: charge.order, payment: charge.payment, merchant: charge.merchant, revision: 1,
            amount: charge.amount, expiresAt: charge.expiresAt, signedAt: charge.signedAt, card: charge.card,
            route: nil,
            reference: AcquirerReference(
                acquirer: "meadow", account: "m-1", orderNumber: reference.orderNumber, time: reference.time))
    }

    func card() throws -> CardData { try Sample.card() }
}

/// The example's connector, with the mistakes that the suite must see.
private struct CarelessSubject: ConformanceSubject {
    static let setup: any AcquirerSetup.Type = MeadowConfiguration.self
    var secrets: [String] { [Sample.pan] }
    var client: HTTPClientConfiguration { MeadowSubject().client }

    func connector(at address: String, client: HTTPClient, logger: Logger) throws -> any Acquirer {
        CarelessConnector(address: address, client: client, logger: logger)
    }

    func charge(minorUnits: Int64, currency: Currency) throws -> Charge {
        try MeadowSubject.charge(minorUnits, currency)
    }
    func card() throws -> CardData { try Sample.card() }
}
