import Charging
import Contracts

/// A connector: translates between charges and one acquirer's protocol, and decides nothing.
///
/// Connectors keep no state of payments. Times come from the caller, so that one clock, the database's, judges all.
public protocol Acquirer: Sendable {
    /// Its name in `merchants.json` and in ``Contracts/AcquirerReference/acquirer``.
    var name: String { get }

    /// Sends the charge under its key, once.
    ///
    /// - Parameters:
    ///   - card: lent for the request's making; nothing of it outlives the call.
    ///   - time: now; certificates of the answer must be valid then.
    func send(_ charge: Charge, card: borrowing CardData, at time: Timestamp) async -> SendOutcome

    /// Asks what became of the charge's key.
    func query(_ charge: Charge, at time: Timestamp) async -> QueryOutcome

    /// Verifies a notification and says what it claims about which key.
    ///
    /// - Parameter body: the request's body as it came.
    func notification(_ body: [UInt8], at time: Timestamp) throws(NotificationError) -> AcquirerNotification
}
