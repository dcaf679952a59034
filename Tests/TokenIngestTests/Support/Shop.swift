import ApplePayToken
import Contracts
import Foundation
import KafkaBridge
import KeyFiles
import OrchardCrypto
import OrchardHTTPClient
import OrchardHTTPServer
import OrchardHTTPTypes
import OrchardJOSE
import OrchardJSON
import OrchardServiceKit
import SandboxPKI
import SandboxSessions
import SandboxWallet
import TestSupport
import Testing

@testable import TokenIngest

/// A token-ingest with two merchants and a wallet, on one folder of files, at a time that the test sets.
final class Shop: Sendable {
    static let identifiers = ["merchant.com.example.tea", "merchant.com.example.silk"]

    let wallet: Wallet
    let merchants: [MerchantID]
    let folder: URL
    let signer: TicketSigner
    let sealingKey: P256PrivateKey
    let contactKey: P256PrivateKey
    let endpoint: PaymentEndpoint
    let sessions: SessionEndpoint
    let client: HTTPClient
    let sink = SinkRecorder()
    let log = LogLines()
    let metrics = MetricsRegistry()
    let readiness = Readiness()
    private let clock: Locked<Timestamp>

    /// One PKI for all tests: generating RSA keys takes long.
    private static let shared = Result { try Wallet(merchants: identifiers) }

    /// The wallet of every shop.
    static func sharedWallet() throws -> Wallet { try shared.get() }

    /// - Parameter server: plays Apple's session servers; without it nothing does.
    init(
        maximumPayments: Int = 10, ticketLimit: Int = 0, sessions server: SessionServer? = nil,
        maximumSessions: Int = 10
    ) throws {
        wallet = try Self.sharedWallet()
        // Real processes also read this shop's tickets, so its time is theirs, also late in a long run.
        let start = Timestamp(seconds: Int64(Date().timeIntervalSince1970))
        let clock = Locked(start)
        self.clock = clock
        folder = FileManager.default.temporaryDirectory.appending(path: "orchard-shop-\(UUID().uuidString)/")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try wallet.save(to: folder)
        merchants = (1...2).map { MerchantID(bytes: [UInt8](repeating: UInt8($0), count: 16)) ?? MerchantID(hash: []) }
        let ticketKey = try P256PrivateKey.generate()
        signer = TicketSigner(keyID: "t1", key: ticketKey)
        sealingKey = try P256PrivateKey.generate()
        contactKey = try P256PrivateKey.generate()
        try Self.write(Self.registry(merchants), to: folder.appending(path: "merchants.json"))
        try Self.write(
            JWKSet([JWK(keyID: "t1", publicKey: ticketKey.publicKey)]).json(),
            to: folder.appending(path: "tickets.json"))
        try Self.write(
            JWKSet([
                JWK(
                    keyID: "yesterday", publicKey: P256PrivateKey.generate().publicKey, notBefore: 0,
                    expires: start.seconds + 60),
                JWK(
                    keyID: "today", publicKey: sealingKey.publicKey, notBefore: start.seconds - 60,
                    expires: start.seconds + 86_400),
                JWK(
                    keyID: "tomorrow", publicKey: P256PrivateKey.generate().publicKey, notBefore: start.seconds + 3_600),
            ]).json(), to: folder.appending(path: "sealing.json"))
        try Self.write(
            JWKSet([JWK(keyID: "contacts", publicKey: contactKey.publicKey)]).json(),
            to: folder.appending(path: "contact.json"))
        let root = try X509Certificate(pem: wallet.root.certificate.pem)
        let publisher = Publisher(sink: sink)
        let paymentMetrics = PaymentMetrics(metrics)
        let logger = Logger(label: "test", level: .debug, handler: log)
        let merchantsFile = try IngestMerchants.file(folder.appending(path: "merchants.json").path)
        let missing = MissingMerchants(
            path: "merchants.json", prefix: "token_ingest", metrics: metrics, readiness: readiness)
        let tickets = TicketCheck(
            keys: try KeySetFile(
                path: folder.appending(path: "tickets.json").path, setting: "ticket.keys", for: .verifying),
            logger: logger)
        let limit = RateLimiter(of: .ticket, rate: ticketLimit, metrics: metrics)
        var settings = HTTPClientConfiguration()
        settings.caFile = folder.appending(path: "root.cert.pem").path
        client = HTTPClient(configuration: settings, logger: logger)
        let sessionMetrics = SessionMetrics(metrics)
        sessions = SessionEndpoint(
            merchants: merchantsFile, missingMerchants: missing, tickets: tickets,
            servers: SessionServers(hosts: ["localhost"], port: server?.port ?? 1), client: client,
            admission: Admission(maximum: maximumSessions, gauge: sessionMetrics.inProgress), ticketLimit: limit,
            metrics: sessionMetrics, logger: logger, clock: { clock.withLock { $0 } })
        endpoint = PaymentEndpoint(
            verifier: TokenVerifier(trust: Trust(root: root)),
            merchants: merchantsFile, missingMerchants: missing, tickets: tickets,
            sealingKeys: try KeySetFile(
                path: folder.appending(path: "sealing.json").path, setting: "sealing.keys", for: .sealing),
            contactKeys: try KeySetFile(
                path: folder.appending(path: "contact.json").path, setting: "contact.keys", for: .sealing),
            publisher: publisher, admission: Admission(maximum: maximumPayments, gauge: paymentMetrics.inProgress),
            ticketLimit: limit,
            threads: ThreadPool(name: "test"),
            rejections: RejectionQueue(publisher: publisher, metrics: paymentMetrics, logger: logger),
            metrics: paymentMetrics, logger: logger, clock: { clock.withLock { $0 } })
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// The routes of the public port.
    var api: IngestAPI { api(endpoint) }

    private func api(_ payments: PaymentEndpoint) -> IngestAPI {
        IngestAPI(payments: payments, sessions: sessions, merchants: endpoint.merchants)
    }

    var now: Timestamp { clock.withLock { $0 } }

    /// The path of a file in the shop's folder.
    func file(_ name: String) -> String { folder.appending(path: name).path }

    func wait(_ duration: Duration) { clock.withLock { $0 = $0 + duration } }

    /// A ticket of the first merchant over 12.34 CNY, as the ledger would issue it.
    func ticket(
        order: OrderID, merchant: Int = 0, amount: Int64 = 1_234, currency: String = "CNY",
        networks: [CardNetwork] = [.chinaUnionPay, .visa], region: String? = nil,
        cardTypes: [CardType]? = nil, requiredContact: RequiredContact = .init(), language: SheetLanguage? = nil,
        allowsMissingApplicationData: Bool = false, captureMode: OrderTicket.CaptureMode = .sale,
        isTotalPending: Bool = false, partitions: Int32 = 12,
        keyID: String? = nil
    ) throws -> String {
        let signer = try keyID.map { TicketSigner(keyID: $0, key: try P256PrivateKey.generate()) } ?? signer
        return try signer.sign(
            OrderTicket(
                order: order, merchant: merchants[merchant], revision: 1,
                amount: Money(minorUnits: amount, currency: try #require(Currency(currency))),
                captureMode: captureMode, isTotalPending: isTotalPending, networks: networks,
                routes: [], region: region.flatMap { Region($0) }, cardTypes: cardTypes,
                requiredContact: requiredContact, allowsMissingApplicationData: allowsMissingApplicationData,
                language: language, linesDigest: [UInt8](repeating: 7, count: 32),
                partitions: partitions,
                issuedAt: now, expiresAt: now + .seconds(600)))
    }

    /// A token for an order of the first merchant over 12.34 CNY.
    func mint(
        order: OrderID?, merchant: Int = 0, fault: MintingFault? = nil, _ change: (inout MintRequest) -> Void = { _ in }
    ) throws -> MintedToken {
        var request = MintRequest(merchant: Self.identifiers[merchant], amount: 1_234, signedAt: now.seconds)
        request.applicationData = order.map { Array($0.description.utf8) }
        change(&request)
        return try fault.map { try wallet.mint(request, fault: $0) } ?? wallet.mint(request)
    }

    /// Sends a token as a device does.
    func pay(_ token: [UInt8], ticket: String?, contact: String = "") async throws -> Answer {
        var body = Array("{\"token\":".utf8) + token
        if !contact.isEmpty { body += Array(",\"shippingContact\":\(contact)".utf8) }
        return try await send(body + Array("}".utf8), ticket: ticket)
    }

    /// Sends a body, and returns when its results are published.
    func send(
        _ body: [UInt8], ticket: String?, contentType: String = "application/json", acceptLanguage: String? = nil
    ) async throws -> Answer {
        let answer = try await answer(
            to: body, ticket: ticket, contentType: contentType, acceptLanguage: acceptLanguage)
        await endpoint.rejections.publishWaiting()
        return answer
    }

    /// The answer to the device, without waiting for what is published later.
    func answer(
        to body: [UInt8], ticket: String?, contentType: String = "application/json", acceptLanguage: String? = nil,
        by worker: PaymentEndpoint? = nil
    ) async throws -> Answer {
        var fields: HTTPFields = ["Content-Type": contentType]
        fields["Accept-Language"] = acceptLanguage
        fields["Authorization"] = ticket.map { "Bearer \($0)" }
        let request = HTTPRequest(method: .post, target: "/v1/payments", fields: fields, body: body)
        let response = try await answer(to: request, by: worker)
        return Answer(status: response.status.code, text: response.body)
    }

    /// The answer to any request, compared with its description.
    func answer(to request: HTTPRequest, by worker: PaymentEndpoint? = nil) async throws -> HTTPResponse {
        var response: HTTPResponse
        do { response = try await api(worker ?? endpoint).router.respond(to: request) } catch let problem as Problem {
            response = .problem(problem)
        }
        // The server adds it.
        response.fields["X-Request-Id"] = "1"
        let fault = try await Descriptions.fault(of: response, to: request, by: "token-ingest")
        #expect(fault == "")
        return response
    }

    static func order(_ number: UInt8 = 1) -> OrderID {
        OrderID(time: Timestamp(seconds: 1_700_000_000), randomness: [UInt8](repeating: number, count: 10))
    }

    static func write(_ bytes: [UInt8], to file: URL) throws { try Data(bytes).write(to: file) }

    static func read(_ file: URL) throws -> [UInt8] { Array(try Data(contentsOf: file)) }

    static func registry(_ merchants: [MerchantID]) -> [UInt8] {
        let rows = zip(merchants, identifiers).enumerated().map { number, merchant in
            let (id, identifier) = merchant
            let account = "77729005811004\(8 + number)"
            let keys = ["EC_v1-1", "EC_v1-2", "RSA_v1-1"].map {
                """
                {"key": "\(identifier)/processing-\($0).key.pem", "certificate": "\(identifier)/processing-\($0).cert.pem"}
                """
            }
            // The first one has cards of its own, the second one believes what devices claim.
            let own =
                identifier == identifiers[0]
                ? #""networks": ["chinaUnionPay", "privateLabel"], "privateLabelRanges": ["603574"], "origins": ["https://tea.example", "https://tea.example:8443"],"#
                : #""networks": ["chinaUnionPay"], "trustClaimedCardType": true, "origins": ["https://silk.example"],"#
            return """
                {"id": "\(id)", "displayName": "\(identifier)", "countryCode": "CN", \(own)
                 "applePay": {"merchantIdentifier": "\(identifier)", "keys": [\(keys.joined(separator: ", "))],
                   "identities": [{"key": "\(identifier)/identity.key.pem", "certificate": "\(identifier)/identity.cert.pem"}]},
                 "routes": [{"id": "unionpay-1", "acquirer": "unionpay", "environment": "test", "account": "\(account)", "currencies": ["CNY"],
                             "paymentData": ["EMV"], "settings": {"signingKey": "a", "signingCertificate": "b"}}],
                 "cardRanges": [{"prefix": "6225", "type": "credit"}],
                 "apiKeys": [{"id": "shop", "sha256": "\(Hex.encode(SHA256.hash(Array(identifier.utf8))))"}]}
                """
        }
        return Array("{\"merchants\": [\(rows.joined(separator: ", "))]}".utf8)
    }
}
