import Contracts
import OrchardCrypto
import OrchardJOSE

/// Sealed card data: encrypted for this gateway, bound to a payment and its ticket.
struct SealedCard: Hashable, Sendable {
    /// A compact JWE.
    let jwe: String
    /// The key that opens it, as its header names it; nil when the header cannot be read.
    let keyID: String?
    /// SHA-256 of the ticket's compact form: `apv`.
    let ticketHash: [UInt8]

    init(jwe: String, ticketHash: [UInt8]) {
        self.jwe = jwe
        // PostgreSQL's text holds every character but this one.
        keyID = (try? JWE.keyID(of: jwe)).flatMap { $0.contains("\0") ? nil : $0 }
        self.ticketHash = ticketHash
    }

    init(_ command: ChargeRequested) {
        self.init(jwe: command.sealedCard, ticketHash: SHA256.hash(Array(command.ticket.utf8)))
    }
}
