import Testing

/// One way to make a token's text wrong.
struct TokenChange: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let apply: @Sendable (String) -> String

    init(_ name: String, _ apply: @escaping @Sendable (String) -> String) {
        testDescription = name
        self.apply = apply
    }
}
