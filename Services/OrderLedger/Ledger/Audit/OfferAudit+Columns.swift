import Contracts

extension OfferAudit {
    /// What the order's row repeats of its request, or makes of it.
    public struct Columns: Hashable, Sendable {
        /// At most so long after its end an order is closed (`expiry.grace`), with a day for rows that are tried again.
        private static let longestGrace = Duration.seconds(2 * 86_400)

        /// The shop's own number.
        public let reference: String?
        /// When the gateway is asked to close the order; nil if never, or done.
        public let expiry: Timestamp?
        /// Whether the order has ended, or the gateway was asked to close it.
        public let isClosed: Bool

        public init(reference: String?, expiry: Timestamp?, isClosed: Bool) {
            self.reference = reference
            self.expiry = expiry
            self.isClosed = isClosed
        }

        func faults(against request: OfferRequest) -> [String] {
            var faults: [String] = []
            if reference != request.reference { faults.append("its reference is not that of its request") }
            switch (request.expiresAt, expiry) {
            case (let end?, let expiry?) where expiry < end || expiry > end + Self.longestGrace:
                faults.append("it would be closed at \(expiry), its request says \(end)")
            case (let end?, nil) where !isClosed:
                faults.append("its request says that it ends at \(end), nothing closes it")
            case (nil, let expiry?): faults.append("it would be closed at \(expiry), its request has no end")
            default: break
            }
            return faults
        }
    }
}
