/// A sale in the acquirer's own book, with the acquirer's actions.
struct AcquirerSale: Hashable, Sendable {
    let booked: BookedPayment
    /// The fault that was applied.
    var fault: String
    var notificationsSent: Int64
    /// Whether the merchant acknowledged a notification.
    var isAcknowledged: Bool
    /// How often the gateway queried it.
    var queries: Int64
    /// `backUrl`: the notification address of its gateway.
    var notifiedAddress: String
}
