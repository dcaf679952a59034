/// A command of a program, declared as a value: its name, its parameters and its work.
public struct Command: Sendable {
    /// One line of the help's examples.
    public struct Example: Sendable, Hashable {
        public let line: String
        public let explanation: String

        public init(_ line: String, _ explanation: String) {
            self.line = line
            self.explanation = explanation
        }
    }

    /// A word of the command line that is not an option.
    public struct Argument: Sendable, Hashable {
        /// In the help: `ORDER-ID`.
        public let name: String
        public let help: String
        public let isRequired: Bool
        /// The last argument may stand for all that follow, for example a command with its own arguments.
        public let isRepeatable: Bool

        public init(_ name: String, help: String, isRequired: Bool = true, isRepeatable: Bool = false) {
            self.name = name
            self.help = help
            self.isRequired = isRequired
            self.isRepeatable = isRepeatable
        }
    }

    /// Does the command's work and returns the exit status.
    public typealias Body = @Sendable (Invocation) async throws -> Int32

    public let name: String
    /// One line, without a full stop.
    public let summary: String
    /// More text for the command's own help.
    public let discussion: String
    public let arguments: [Argument]
    public let options: [CommandOption]
    /// Settings that may also be given as options; adds `--config FILE`.
    public let configuration: [ConfigKey]
    public let examples: [Example]
    public let subcommands: [Command]
    /// Nil for a command that only has subcommands.
    public let body: Body?

    public init(
        name: String, summary: String, discussion: String = "", arguments: [Argument] = [],
        options: [CommandOption] = [], configuration: [ConfigKey] = [], examples: [Example] = [],
        subcommands: [Command] = [], body: Body? = nil
    ) {
        self.name = name
        self.summary = summary
        self.discussion = discussion
        self.arguments = arguments
        self.options = options
        self.configuration = configuration
        self.examples = examples
        self.subcommands = subcommands
        self.body = body
    }

    /// The settings of the command and of all below it.
    var allSettings: [ConfigKey] { configuration + subcommands.flatMap(\.allSettings) }

    /// Every option of the command, those of its settings included.
    var allOptions: [CommandOption] {
        guard !configuration.isEmpty else { return options }
        return options + [.value("config", "FILE", help: "A JSON file with settings (environment CONFIG_FILE).")]
            + configuration.filter { $0.kind != ConfigKey.sectionKind }.map {
                .value($0.optionName, $0.isSecret ? "FILE" : "VALUE", help: $0.doc)
            }
    }
}

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
