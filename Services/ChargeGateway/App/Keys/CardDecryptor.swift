import Charging
import Contracts
import KeyFiles
import OrchardCrypto
import OrchardJOSE

/// Opens card data that token-ingest sealed.
struct CardDecryptor: Sendable {
    let sealingKeys: KeySetFile

    /// Card data in the clear: made just before a send, wiped when nobody holds it any more.
    final class DecryptedCardData: Sendable {
        let data: CardData

        init(_ data: consuming CardData) {
            self.data = data
        }
    }

    /// Opens what was sealed for exactly this payment and its ticket.
    ///
    /// - Returns: the card data, or why there are none: a key that is not here may come yet, everything else never opens.
    ///   Nor does a key whose life is over, although nobody has destroyed it yet.
    func open(_ sealed: SealedCard, of payment: PaymentID, at time: Timestamp) -> (CardAvailability, DecryptedCardData?)
    {
        let keys = sealingKeys.keys
        if let key = sealed.keyID.flatMap({ keys[$0] }), SealingKeyLifetime.isOver(key, now: time) {
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
