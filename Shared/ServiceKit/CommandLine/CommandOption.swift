/// An option of a command: a flag, or a name that takes a value.
public struct CommandOption: Sendable, Hashable {
    /// Without the dashes: `reveal`.
    public let name: String
    /// What the help shows for the value; nil for a flag.
    public let placeholder: String?
    /// What it does, in one sentence.
    public let help: String
    /// Whether it may be given more than once.
    public let isRepeatable: Bool

    /// An option without a value.
    public static func flag(_ name: String, help: String) -> CommandOption {
        CommandOption(name: name, placeholder: nil, help: help, isRepeatable: false)
    }

    /// An option with a value, given as `--name VALUE` or `--name=VALUE`.
    public static func value(
        _ name: String, _ placeholder: String, help: String, repeatable: Bool = false
    ) -> CommandOption {
        CommandOption(name: name, placeholder: placeholder, help: help, isRepeatable: repeatable)
    }
}
