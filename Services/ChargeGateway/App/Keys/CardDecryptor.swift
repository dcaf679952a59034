import Charging
import Contracts
import KeyFiles
import OrchardCrypto
import OrchardJOSE

/// Decrypts card data that token-ingest sealed.
struct CardDecryptor: Sendable {
    let sealingKeys: KeySetFile

    /// Card data in clear text: made just before a send, wiped with the last reference.
    final class DecryptedCardData: Sendable {
        let data: CardData

        init(_ data: consuming CardData) {
            self.data = data
        }
    }

    /// Decrypts card data that were sealed for exactly this payment and its ticket.
    ///
    /// - Returns: the card data, or why there are none. A missing key may still come; everything else is final. A key after
    ///   its lifetime opens nothing, even if it is still in the file.
    func open(_ sealed: SealedCard, of payment: PaymentID, at time: Timestamp) -> (CardAvailability, DecryptedCardData?)
    {
        let keys = sealingKeys.keys
        if let key = sealed.keyID.flatMap({ keys[$0] }), SealingUse.cards.lifetime.isOver(key, now: time) {
            return (.unreadable, nil)
        }
        do {
            let plaintext = try JWE.open(
                sealed.jwe, keys: { keys[$0]?.privateKey }, apu: payment.bytes, apv: sealed.ticketHash)
            return (.ready, DecryptedCardData(try CardData(encoded: plaintext)))
        } catch let error as JOSEError where error.code == .unknownKey {
            return (.keyUnknown, nil)
        } catch {
            return (.unreadable, nil)
        }
    }
}
