import Contracts

/// The keys that sign and verify order tickets, at one moment.
struct TicketKeys: Sendable {
    let signer: TicketSigner
    let verifier: TicketVerifier
}
