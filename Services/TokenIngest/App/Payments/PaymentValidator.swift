import ApplePayToken
import Contracts
import OrchardCrypto
import OrchardJOSE

/// The keys to seal to now; nil where no key is in use.
struct SealingTargets: Sendable {
    /// The gateway's, for card data.
    let cards: JWK?
    /// order-ledger's, for contacts.
    let contacts: JWK?
}

/// Decides an attempt to pay: verifies and decrypts the token, compares it with the ticket, seals card data and contact.
///
/// It uses no clock, no I/O and no memory: the same token and ticket are the same payment on every worker.
struct PaymentValidator: Sendable {
    let verifier: TokenVerifier
    let merchants: IngestMerchants

    /// - Parameters:
    ///   - ticket: verified, of any age.
    ///   - compactTicket: the ticket in the form received.
    ///   - attempt: the identifier of exactly this body.
    ///   - language: of messages to the customer.
    ///   - keys: what card data and contacts are sealed to.
    ///   - isTaken: whether a valid payment was accepted before; then nothing is sealed.
    func decide(
        _ body: PaymentBody, ticket: OrderTicket, compactTicket: String, attempt: AttemptID,
        language: SheetLanguage, sealingTo keys: SealingTargets, at time: Timestamp,
        isTaken: @Sendable (PaymentID) -> Bool
    ) async -> PaymentDecision {
        do throws(ExitReason) {
            let (command, contact) = try await charge(body, ticket, compactTicket, language, keys, time, isTaken)
            return .charge(command, contact)
        } catch {
            switch error {
            case .refused(let refusal):
                let fact = PaymentRejected(
                    order: ticket.order, merchant: ticket.merchant, attempt: attempt, stage: refusal.stage,
                    reason: refusal.reason)
                return .reject(fact, refusal)
            case .known(let payment): return .known(payment)
            case .late(let payment, let message): return .late(payment, message: message)
            case .unsealable: return .unsealable
            case .merchantMissing: return .merchantMissing
            }
        }
    }

    /// Why a payment does not become a charge.
    private enum ExitReason: Error {
        case refused(PaymentRejection)
        case known(PaymentID)
        case late(PaymentID, String)
        case unsealable
        case merchantMissing
    }

    private func charge(
        _ body: PaymentBody, _ ticket: OrderTicket, _ compactTicket: String, _ language: SheetLanguage,
        _ keys: SealingTargets, _ time: Timestamp, _ isTaken: @Sendable (PaymentID) -> Bool
    ) async throws(ExitReason) -> (ChargeRequested, ContactReceived?) {
        let token = try verify(body.token, ticket, time)
        let payment = PaymentID(merchant: ticket.merchant, transactionID: token.transactionID)
        try requireOrder(ticket, token)
        guard ticket.charges(at: time) else {
            throw .late(payment, "the ticket has expired; unless the payment is known, exchange the ticket and repeat")
        }
        guard let ring = merchants.keys[ticket.merchant], let merchant = merchants.registry[ticket.merchant] else {
            throw .merchantMissing
        }
        let card = try await decrypt(token, ring)
        let summary = try compare(card, ticket, merchant, body.claimedDisplayName)
        if let accepted = ticket.cardTypes { try requireType(accepted, card, body, merchant, language) }
        if let region = ticket.region { try requireRegion(region, body.contact.shipping, language) }
        let errors = ticket.requiredContact.errors(in: body.contact, language: language)
        guard errors.isEmpty else { throw .refused(.contact(errors)) }
        guard !isTaken(payment) else { throw .known(payment) }
        guard let key = keys.cards else { throw .unsealable }
        let command = ChargeRequested(
            order: ticket.order, payment: payment, ticket: compactTicket, card: summary,
            sealedCard: try seal(card, payment, compactTicket, key), signedAt: Timestamp(seconds: token.signedAt))
        return (command, try seal(ticket.requiredContact.part(of: body.contact), payment, ticket, keys.contacts))
    }

    private func verify(_ bytes: [UInt8], _ ticket: OrderTicket, _ time: Timestamp) throws(ExitReason) -> VerifiedToken
    {
        do throws(TokenError) {
            return try verifier.verify(bytes, at: time.seconds)
        } catch {
            // A valid token that is too old may have been accepted when it came first.
            if error.stage == .time, let signedAt = error.facts.signedAt, signedAt < time.seconds,
                let transactionID = error.facts.transactionID
            {
                throw .late(PaymentID(merchant: ticket.merchant, transactionID: transactionID), error.reason)
            }
            throw .refused(PaymentRejection(error))
        }
    }

    /// Apple signed the hash of the request's `applicationData`, which is the order's id: no token pays for two orders.
    ///
    /// Without it the ticket may allow the token. Its payment id names no order, so that a token is one payment under one
    /// key of the acquirer, whatever orders it is sent for; the gateway believes only the one that the acquirer names.
    private func requireOrder(_ ticket: OrderTicket, _ token: VerifiedToken) throws(ExitReason) {
        guard let applicationData = token.applicationData else {
            if ticket.allowsMissingApplicationData { return }
            throw .refused(.applicationDataMissing)
        }
        guard applicationData == SHA256.hash(Array(ticket.order.description.utf8)) else {
            throw .refused(.applicationDataDiffers)
        }
    }

    private func decrypt(_ token: VerifiedToken, _ ring: MerchantKeyRing) async throws(ExitReason) -> DecryptedCard {
        do throws(TokenError) {
            return try await token.decrypt(with: ring)
        } catch {
            // A missing key is our fault, never a reason to reject the token.
            if error.isTemporary { throw .unsealable }
            throw .refused(PaymentRejection(error))
        }
    }

    /// What the customer agreed to must equal the ticket.
    private func compare(
        _ card: borrowing DecryptedCard, _ ticket: OrderTicket, _ merchant: Merchant, _ claimed: ClaimedDisplayName?
    ) throws(ExitReason) -> CardSummary {
        guard card.currencyCode == ticket.amount.currency.numeric else { throw .refused(.currencyDiffers) }
        guard card.transactionAmount == ticket.amount.minorUnits else { throw .refused(.amountDiffers) }
        let network = card.primaryAccountNumber.withBytes { merchant.network(ofCardNumber: $0) }
        guard let network else { throw .refused(.networkUnknown) }
        guard ticket.networks.contains(network) else { throw .refused(.networkNotAllowed) }
        let kind: PaymentDataType = card.credential.kind == .emv ? .emv : .threeDSecure
        guard var summary = CardSummary(network: network, lastFour: card.lastFour, paymentData: kind) else {
            throw .refused(.networkUnknown)
        }
        summary.claimedDisplayName = claimed
        return summary
    }

    /// The price holds for some types of card. The merchant's ranges say which type a card number has; the device's word
    /// counts only if the merchant trusts it.
    private func requireType(
        _ accepted: [CardType], _ card: borrowing DecryptedCard, _ body: PaymentBody, _ merchant: Merchant,
        _ language: SheetLanguage
    ) throws(ExitReason) {
        let known = card.primaryAccountNumber.withBytes { merchant.cardRanges.type(ofCardNumber: Array($0)) }
        guard let type = known ?? (merchant.trustClaimedCardType ? body.claimedCardType : nil) else {
            throw .refused(.cardTypeUnknown(language.texts))
        }
        guard accepted.contains(type) else { throw .refused(.cardTypeDiffers(language.texts)) }
    }

    /// The price holds for one region; the sheet showed only a part of the address when it was made.
    private func requireRegion(
        _ region: Region, _ contact: PaymentContact?, _ language: SheetLanguage
    ) throws(ExitReason) {
        guard let contact else { throw .refused(.region(isMissing: true, .countryCode, language.texts)) }
        switch region.match(contact, isCut: false) {
        case .inside: return
        case .outside(let field): throw .refused(.region(isMissing: contact.countryCode == nil, field, language.texts))
        }
    }

    /// - Returns: nil when there is nothing to keep.
    private func seal(
        _ contact: OrderContact, _ payment: PaymentID, _ ticket: OrderTicket, _ key: JWK?
    ) throws(ExitReason) -> ContactReceived? {
        guard !contact.isEmpty else { return nil }
        guard let key else { throw .unsealable }
        do throws(CryptoError) {
            let sealed = try JWE.seal(
                SecretBytes(copying: contact.json), to: key.publicKey, keyID: key.keyID, apu: payment.bytes,
                apv: ticket.order.bytes)
            return ContactReceived(
                order: ticket.order, merchant: ticket.merchant, payment: payment, sealedContact: sealed)
        } catch {
            throw .unsealable
        }
    }

    private func seal(
        _ card: borrowing DecryptedCard, _ payment: PaymentID, _ ticket: String, _ key: JWK
    ) throws(ExitReason) -> String {
        let data: CardData
        do throws(CardDataError) {
            data = try CardData(card)
        } catch {
            throw .refused(.cardDataTooLarge)
        }
        do throws(CryptoError) {
            return try data.withEncoded { encoded throws(CryptoError) in
                try JWE.seal(
                    SecretBytes(copying: encoded), to: key.publicKey, keyID: key.keyID, apu: payment.bytes,
                    apv: SHA256.hash(Array(ticket.utf8)))
            }
        } catch {
            throw .unsealable
        }
    }
}
