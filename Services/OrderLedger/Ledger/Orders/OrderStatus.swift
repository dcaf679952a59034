/// Where an order stands. It leaves `open` once and never comes back.
public enum OrderStatus: String, Hashable, Sendable, CaseIterable {
    case open, paid, cancelled, expired
    /// Money came, but in another amount than the offer's: a person must look before the shop delivers.
    case review
}
