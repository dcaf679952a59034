import OrchardServiceKit

/// What is sealed to the keys of a service, and how its command, settings, metric and readiness call them.
public struct SealingUse: Sendable {
    /// The program that opens what is sealed: `charge-gateway`.
    public let program: String
    /// Its command that makes and destroys the keys: `keys`.
    public let command: String
    /// What is sealed, in words: `card data`.
    public let data: String
    /// The beginning of its settings, `sealing` for `sealing.keys`; also the readiness component.
    public let setting: String
    /// For how long a key opens, from its first use.
    public let opening: Duration
    /// The same in words.
    public let openingText: String
    /// What is lost with a key that is destroyed, in a sentence.
    public let loss: String

    /// - Parameters: see the members.
    public init(
        program: String, command: String, data: String, setting: String, opening: Duration, openingText: String,
        loss: String
    ) {
        self.program = program
        self.command = command
        self.data = data
        self.setting = setting
        self.opening = opening
        self.openingText = openingText
        self.loss = loss
    }

    /// Card data for the gateway. Kafka keeps it for days; it can be opened for two.
    public static let cards = SealingUse(
        program: "charge-gateway", command: "keys", data: "card data", setting: "sealing",
        opening: .seconds(172_800), openingText: "48 hours", loss: "tickets of such charges are over long before")

    /// Contacts for order-ledger: as long as their topic keeps them, so that a restored database gets them again.
    public static let contacts = SealingUse(
        program: "order-ledger", command: "contact-keys", data: "contacts", setting: "contact",
        opening: .seconds(8 * 86_400), openingText: "8 days", loss: "their topic has deleted such contacts before")

    /// The life of these keys.
    public var lifetime: SealingKeyLifetime { SealingKeyLifetime(opening: opening) }

    /// The prefix of the program's metrics.
    var prefix: String { program.replacing("-", with: "_") }
}
