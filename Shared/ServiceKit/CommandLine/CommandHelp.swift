/// Writes the help of a command.
struct CommandHelp {
    let path: [Command]

    private var command: Command { path[path.count - 1] }
    private var fullName: String { path.map(\.name).joined(separator: " ") }

    /// The whole text, at most 100 columns wide where possible.
    var text: String {
        var sections = ["\(fullName): \(command.summary)", "Usage: \(usage)"]
        if !command.discussion.isEmpty { sections.append(command.discussion) }
        if !command.subcommands.isEmpty {
            sections.append(Self.table("Commands:", command.subcommands.map { ($0.name, $0.summary) }))
        }
        if !command.arguments.isEmpty {
            sections.append(Self.table("Arguments:", command.arguments.map { ($0.name, $0.help) }))
        }
        var options = command.options.map { ("--\($0.name)\($0.placeholder.map { " " + $0 } ?? "")", $0.help) }
        options.append(("--help", "Shows this help."))
        if path.count == 1 { options.append(("--version", "Shows the version.")) }
        sections.append(Self.table("Options:", options))
        if !command.configuration.isEmpty { sections.append(settings) }
        if !command.examples.isEmpty {
            sections.append(
                "Examples:\n"
                    + command.examples.map { "  # \($0.explanation)\n  \($0.line)" }.joined(separator: "\n"))
        }
        return sections.joined(separator: "\n\n") + "\n"
    }

    private var usage: String {
        var words = [fullName]
        if !command.subcommands.isEmpty { words.append(command.body == nil ? "COMMAND" : "[COMMAND]") }
        words.append("[OPTION]…")
        words += command.arguments.map { ($0.isRequired ? $0.name : "[\($0.name)]") + ($0.isRepeatable ? "…" : "") }
        return words.joined(separator: " ")
    }

    private var settings: String {
        let head = """
            Settings, each as an option, an environment variable or a key of the JSON file named by --config FILE
            (or CONFIG_FILE); the option wins over the variable, the variable over the file:
            """
        let lines = command.configuration.map { key -> String in
            let state = key.isRequired ? "required" : key.defaultValue.map { "default \($0)" } ?? "optional"
            let file = key.isSecret ? " or \(key.environmentName)_FILE" : ""
            guard key.kind != ConfigKey.sectionKind else {
                return "  \(key.name).NAME\n      \(key.doc)\n      \(key.kind), in the file or the environment; "
                    + "\(state); \(key.environmentName)_NAME, with _ for each dot"
            }
            return "  --\(key.optionName)\n      \(key.doc)\n      \(key.kind); \(state); \(key.environmentName)\(file)"
        }
        return head + "\n" + lines.joined(separator: "\n")
    }

    private static func table(_ head: String, _ rows: [(String, String)]) -> String {
        let width = rows.map(\.0.count).max() ?? 0
        return head + "\n"
            + rows.map { "  \($0.0)\(String(repeating: " ", count: width - $0.0.count))  \($0.1)" }
            .joined(separator: "\n")
    }
}
