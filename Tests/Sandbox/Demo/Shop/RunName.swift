/// Tells a run's idempotency keys from another's.
enum RunName {
    /// Letters only: with digits a key may look like a card number, which the audit then finds.
    static func random() -> String {
        String((0..<16).map { _ in Character(UnicodeScalar(UInt8.random(in: 0x61...0x7A))) })
    }
}
