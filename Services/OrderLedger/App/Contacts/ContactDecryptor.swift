import Contracts
import KeyFiles
import OrchardCrypto
import OrchardJOSE

/// Opens contacts that token-ingest sealed.
struct ContactDecryptor: Sendable {
    let keys: @Sendable () -> JWKSet

    /// A contact as it arrived.
    enum Opened: Hashable, Sendable {
        case contact(OrderContact)
        /// Its key is not there, and may still come.
        case keyMissing
        /// It was changed, was sealed for another payment, or is no contact.
        case unreadable
    }

    /// Opens what was sealed for exactly this payment of this order.
    func open(_ sealed: String, of payment: PaymentID, _ order: OrderID) -> Opened {
        let keys = keys()
        do {
            let plaintext = try JWE.open(
                sealed, keys: { keys[$0]?.privateKey }, apu: payment.bytes, apv: order.bytes,
                maximumSize: ContactReceived.maximumSize)
            return try plaintext.withBytes { .contact(try OrderContact(parsing: Array($0))) }
        } catch let error as JOSEError where error.code == .unknownKey {
            return .keyMissing
        } catch {
            return .unreadable
        }
    }
}
