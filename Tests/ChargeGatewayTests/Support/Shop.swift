import Contracts
import Foundation
import KafkaBridge
import KeyFiles
import OrchardCrypto
import OrchardJOSE
import SandboxAcquirer
import TestSupport

@testable import ChargeGateway

/// A merchant, its order-ledger's ticket key and its token-ingest's sealing key: makes commands as those would.
struct Shop: Sendable {
    static let merchant = MerchantID(hash: Array(repeating: 7, count: 32))
    static let account = "777290058110048"
    static let partitions: Int32 = 4
    /// UnionPay's certificates and the account's. Made once: their keys take seconds.
    static let acquirerPKI = Result { try AcquirerPKI(merchants: [account]) }

    let ticketKey: P256PrivateKey
    let sealingKey: P256PrivateKey
    let ticketKeys: KeySetFile
    let sealingKeys: KeySetFile
    let registry: MerchantRegistry
    private let files: TemporaryFolder
    var folder: URL { files.url }

    init() throws {
        ticketKey = try P256PrivateKey.generate()
        sealingKey = try P256PrivateKey.generate()
        files = try TemporaryFolder()
        let folder = files.url
        try JWKSet([JWK(keyID: "tickets", publicKey: ticketKey.publicKey)]).json().save(folder, "tickets.json")
        try JWKSet([JWK(keyID: "sealing", privateKey: sealingKey)]).json().save(folder, "sealing.json")
        ticketKeys = try KeySetFile(
            path: folder.appending(path: "tickets.json").path, setting: "ticket.keys", for: .verifying)
        sealingKeys = try KeySetFile(
            path: folder.appending(path: "sealing.json").path, setting: "sealing.keys", for: .opening)
        try Array(Self.merchants.utf8).save(folder, "merchants.json")
        registry = try MerchantRegistry(parsing: Array(Self.merchants.utf8))
    }

    /// Replaces the gateway's sealing keys, as an operator would.
    func publish(sealing keys: [JWK]) throws {
        try JWKSet(keys).json().save(folder, "sealing.json")
        _ = sealingKeys.reload()
    }

    /// Replaces the ticket keys.
    func publish(tickets keys: [JWK]) throws {
        try JWKSet(keys).json().save(folder, "tickets.json")
        _ = ticketKeys.reload()
    }

    /// An edited `merchants.json`.
    func registry(replacing old: String, with new: String) throws -> MerchantRegistry {
        try MerchantRegistry(parsing: Array(Self.merchants.replacing(old, with: new).utf8))
    }

    /// The path of one of its files.
    func file(_ name: String) -> String { folder.appending(path: name).path }

    /// An order that belongs to the partition.
    static func order(in partition: Int32 = 0) -> OrderID {
        while true {
            let order = OrderID(time: .now, randomness: SecureRandom.bytes(10))
            if Partitioner.partition(of: order, among: partitions) == partition { return order }
        }
    }

    static func payment() -> PaymentID { PaymentID(hash: SecureRandom.bytes(32)) }

    /// A ticket for an order.
    func ticket(
        _ order: OrderID, amount: Int64 = 12_345, currency: Currency = .cny, issued: Timestamp = .now,
        lifetime: Duration = .seconds(600), captureMode: OrderTicket.CaptureMode = .sale, keyID: String = "tickets",
        key: P256PrivateKey? = nil,
        routes: [TicketRoute]? = nil, allowsMissingApplicationData: Bool = false
    ) throws -> String {
        let issued = Timestamp(seconds: issued.seconds)
        return try TicketSigner(keyID: keyID, key: key ?? ticketKey).sign(
            OrderTicket(
                order: order, merchant: Self.merchant, revision: 3,
                amount: Money(minorUnits: amount, currency: currency), captureMode: captureMode,
                networks: [.chinaUnionPay],
                routes: routes ?? registry[Self.merchant]?.ticketRoutes(in: currency) ?? [],
                allowsMissingApplicationData: allowsMissingApplicationData,
                linesDigest: Array(repeating: 0, count: 32), partitions: Self.partitions, issuedAt: issued,
                expiresAt: issued + lifetime))
    }

    /// A command to cancel an order, signed by order-ledger.
    func cancel(
        _ order: OrderID, _ reason: OrderClosed.Reason = .cancelled, partitions: Int32 = partitions,
        keyID: String = "tickets", key: P256PrivateKey? = nil
    ) throws -> SignedCommand {
        try CommandSigner(keyID: keyID, key: key ?? ticketKey).sign(
            .close(
                CloseRequested(
                    reason, command: CommandID(time: .now, randomness: SecureRandom.bytes(10)), order: order,
                    merchant: Self.merchant, partitions: partitions)))
    }

    /// A command about a payment, signed by order-ledger.
    func follow(
        _ kind: FollowUpKind, _ charge: ChargeRequested, _ amount: Int64? = nil, requestedAt: Timestamp = .now,
        key: P256PrivateKey? = nil
    ) throws -> SignedCommand {
        try CommandSigner(keyID: "tickets", key: key ?? ticketKey).sign(
            .followUp(
                FollowUpRequested(
                    kind, command: CommandID(time: .now, randomness: SecureRandom.bytes(10)), order: charge.order,
                    merchant: Self.merchant, payment: charge.payment,
                    amount: kind == .void ? nil : Money(minorUnits: amount ?? 12_345, currency: .cny),
                    requestedAt: requestedAt, partitions: Self.partitions)))
    }

    /// A command to charge an order.
    func charge(
        _ order: OrderID, payment: PaymentID = payment(), ticket: String? = nil, amount: Int64 = 12_345,
        currency: Currency = .cny, sealedTo: (id: String, key: P256PublicKey)? = nil, signedAt: Timestamp = .now,
        sealedCard: String? = nil, cardFields: [CardData.Field: String] = [:]
    ) throws -> ChargeRequested {
        let ticket = try ticket ?? self.ticket(order, amount: amount, currency: currency)
        let key = sealedTo ?? ("sealing", sealingKey.publicKey)
        let card =
            try sealedCard
            ?? CardData(Self.card.merging(cardFields) { $1 }).withEncoded { encoded in
                try JWE.seal(
                    SecretBytes(copying: encoded), to: key.key, keyID: key.id, apu: payment.bytes,
                    apv: SHA256.hash(Array(ticket.utf8)))
            }
        guard var summary = CardSummary(network: .chinaUnionPay, lastFour: "3629", paymentData: .emv) else {
            throw CancellationError()
        }
        summary.claimedDisplayName = ClaimedDisplayName("Tea Bank 1234")
        return ChargeRequested(
            order: order, payment: payment, ticket: ticket, card: summary, sealedCard: card, signedAt: signedAt)
    }

    /// The device account number that charges carry; no output of the gateway may hold it.
    static let cardNumber = "6259020040003629"
    /// What no output of the gateway may hold: of the number, the EMV data and the PIN block.
    static let secrets = [cardNumber, "nyYI/RZhrTzcBF+fNgIAAYECACGDBN6tvu8", "8110e8d9ea8a"]
    private static let card: [CardData.Field: String] = [
        .accountNumber: cardNumber, .expirationDate: "301231", .emvData: "nyYI/RZhrTzcBF+fNgIAAYECACGDBN6tvu8=",
        .encryptedPIN: "8110e8d9ea8afc5c6147b09e7cd2d8db88b8208002",
    ]

    /// The card that charges carry, opened.
    static func openedCard() throws -> CardData { try CardData(card) }

    static let merchants = """
        {"merchants":[{"id":"\(merchant)","displayName":"Shop","countryCode":"CN","networks":["chinaUnionPay"],
        "applePay":{"merchantIdentifier":"merchant.example","keys":[{"key":"a.pem"}]},
        "routes":[{"id":"unionpay-1","acquirer":"unionpay","environment":"test","account":"\(account)","currencies":["CNY"],"paymentData":["EMV"],
        "settings": {"signingKey": "merchant.key","signingCertificate": "merchant.pem"}}],
        "apiKeys":[{"id":"k","sha256":"\(String(repeating: "0", count: 64))"}]}]}
        """
}

extension CardData {
    /// Card data of these fields.
    fileprivate init(_ fields: [Field: String]) throws {
        var builder = Builder()
        for (field, value) in fields.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            try builder.add(field, Array(value.utf8))
        }
        self = try builder.finish()
    }
}

extension [UInt8] {
    fileprivate func save(_ folder: URL, _ name: String) throws {
        try writePrivately(self, to: folder.appending(path: name))
    }
}

extension KafkaRecord {
    /// A command as Kafka holds it.
    init(_ command: Contracts.Command, at offset: Int64, in partition: Int32 = 0, trace: String? = nil) {
        let event = CloudEvent(command, source: "/test", time: .now, traceparent: trace)
        self.init(
            topicPartition: TopicPartition(Topic.charges.name, partition), offset: offset,
            timestamp: Timestamp.now.microseconds / 1_000, key: event.key, value: event.data,
            headers: event.headers.map { KafkaHeader($0.name, $0.value) })
    }
}
