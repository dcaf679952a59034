/// Why a token was refused, at which step, and what could be read of it nevertheless.
///
/// The reason quotes no token data, so that it may be logged and shown.
public struct TokenError: Error, Hashable, Sendable {
    public let stage: TokenStage
    /// What is wrong, in words that tell what to do.
    public let reason: String
    /// Whether the merchant's key could not be asked just now: the token may be right, and is to be tried again.
    public let isTemporary: Bool
    /// What the token says of itself; nothing of it is proved unless the stage is a later one.
    public let facts: TokenFacts

    public init(
        _ stage: TokenStage, _ reason: String, isTemporary: Bool = false, facts: TokenFacts = TokenFacts()
    ) {
        self.stage = stage
        self.reason = reason
        self.isTemporary = isTemporary
        self.facts = facts
    }
}

extension TokenError: CustomStringConvertible {
    public var description: String { "\(stage.rawValue): \(reason)" }
}

/// A refusal inside the library, before the facts are added.
struct InvalidToken: Error {
    let stage: TokenStage
    let reason: String
    let isTemporary: Bool

    init(_ stage: TokenStage, _ reason: String, isTemporary: Bool = false) {
        self.stage = stage
        self.reason = reason
        self.isTemporary = isTemporary
    }
}
