import Contracts
import KeyFiles
import OrchardHTTPTypes
import OrchardJOSE
import OrchardServiceKit

/// Reads the order ticket of a request and verifies it.
struct TicketCheck: Sendable {
    let keys: KeySetFile
    let logger: Logger

    /// - Throws: 401 `ticket-missing`, `ticket-invalid` or `ticket-expired`.
    func read(
        _ request: HTTPRequest, for use: TicketVerifier.Use, at time: Timestamp
    ) throws(Problem) -> (compact: String, ticket: OrderTicket) {
        guard let bearer = request.bearerToken else { throw .ticketMissing }
        let compact = String(bearer)
        do throws(TicketError) {
            let verifier = TicketVerifier(keys: keys.keys.publicKeys(at: time.seconds))
            return (compact, try verifier.verify(compact, for: use, at: time))
        } catch {
            logger.notice("ticket refused: \(error.reason)", ["code": error.code.rawValue])
            throw .ticketRefused(error)
        }
    }
}
