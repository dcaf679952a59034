/// Where an order stands. It leaves `open` once and never comes back.
public enum OrderStatus: String, Hashable, Sendable, CaseIterable {
    case open, paid, cancelled, expired
}
