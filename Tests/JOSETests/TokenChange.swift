import Testing

/// One way to spoil a token's text.
struct TokenChange: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let apply: @Sendable (String) -> String

    init(_ name: String, _ apply: @escaping @Sendable (String) -> String) {
        testDescription = name
        self.apply = apply
    }
}
