import Contracts
import Foundation
import KafkaBridge
import OrchardCrypto
import OrchardJOSE
import OrchardJSON
import SandboxWallet

/// Commands that waited longer than the lifetime of a ticket: as if token-ingest had published them 16 minutes ago and
/// no gateway had run since.
struct LateCommands: Sendable {
    let producer: KafkaProducer
    let workspace: Workspace
    let topic: String
    let partitions: Int32

    /// Publishes the command of a token whose ticket expired a minute ago.
    func send(
        _ token: MintedToken, order: OrderID, script: ScriptedOrder, shop: DemoMerchant
    ) async throws -> PaymentID {
        let now = Timestamp.now
        let issued = Timestamp(seconds: (now - .seconds(16 * 60)).seconds)
        let ticket = OrderTicket(
            order: order, merchant: shop.id, revision: 1, amount: script.totals.amount,
            networks: [.chinaUnionPay],
            routes: try workspace.registry()[shop.id]?.ticketRoutes(in: script.totals.amount.currency) ?? [],
            shippingMethod: "standard", linesDigest: SHA256.hash([]), partitions: partitions, issuedAt: issued,
            expiresAt: issued + .seconds(15 * 60))
        let compact = try workspace.ticketSigner().sign(ticket)
        let sealingKey = try workspace.sealingKey()
        let payment = PaymentID(merchant: shop.id, transactionID: token.transactionID)
        let sealed = try cardData(of: token).withEncoded { bytes in
            try JWE.seal(
                SecretBytes(copying: bytes), to: sealingKey.publicKey, keyID: sealingKey.keyID,
                apu: payment.bytes,
                apv: SHA256.hash(Array(compact.utf8)))
        }
        let command = Command.charge(
            ChargeRequested(
                order: order, payment: payment, ticket: compact, card: try summary(of: token), sealedCard: sealed,
                signedAt: issued + .seconds(30)))
        let event = CloudEvent(command, source: "/token-ingest", time: issued + .seconds(31))
        _ = try await producer.send(
            KafkaMessage(
                topic: topic, partition: ticket.partition, key: event.key, value: event.data,
                headers: event.headers.map { KafkaHeader($0.name, Array($0.value.utf8)) }))
        return payment
    }

    private func summary(of token: MintedToken) throws -> CardSummary {
        let summary = CardSummary(
            network: CardNetwork(cardNumber: Array(token.accountNumber.utf8)) ?? .chinaUnionPay,
            lastFour: String(token.accountNumber.suffix(4)), paymentData: .emv)
        guard let summary else { throw DemoError("the wallet made a card without four last digits") }
        return summary
    }

    private func cardData(of token: MintedToken) throws -> CardData {
        let payload = try JSONValue(parsing: token.payload)
        var builder = CardData.Builder()
        try builder.add(.accountNumber, Array(token.accountNumber.utf8))
        try builder.add(.expirationDate, Array((payload["applicationExpirationDate"]?.string ?? "").utf8))
        if let data = payload["paymentData"]?["emvData"]?.string { try builder.add(.emvData, Array(data.utf8)) }
        return try builder.finish()
    }
}
