import Contracts
import KeyFiles
import OrchardServiceKit

extension MissingMerchants {
    /// Records the merchant of a verified ticket, and says so in the log.
    func record(_ ticket: OrderTicket, _ logger: Logger) {
        record(ticket.merchant.description, until: ticket.expiresAt.seconds)
        logger.error("merchants.json lacks a ticket's merchant", ["merchant": ticket.merchant.description])
    }
}
