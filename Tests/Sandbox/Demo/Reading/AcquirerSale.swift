/// A sale as the acquirer's own book has it, with what the acquirer did about it.
struct AcquirerSale: Hashable, Sendable {
    let booked: BookedPayment
    /// The misbehaviour that it met.
    var fault: String
    var notificationsSent: Int64
    /// Whether the merchant took a notification.
    var isAcknowledged: Bool
    /// How often the gateway asked what became of it.
    var queries: Int64
    /// `backUrl`: where its gateway wants notifications to go.
    var notifiedAddress: String
}
