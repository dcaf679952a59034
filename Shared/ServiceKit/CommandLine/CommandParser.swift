/// Parses a command line by the declaration of the commands. Pure.
struct CommandParser {
    enum Outcome {
        case run(path: [Command], Invocation)
        case help(path: [Command])
        case version
        case wrong(UsageError, path: [Command])
    }

    let root: Command

    func parse(_ words: [String]) -> Outcome {
        var path = [root]
        var rest = words[...]
        while let command = path.last, !command.subcommands.isEmpty {
            guard let word = rest.first else {
                if command.body != nil { break }
                return .wrong(UsageError("a command is missing"), path: path)
            }
            if word == "--help" || word == "-h" { return .help(path: path) }
            if word == "--version", path.count == 1 { return .version }
            if word == "help", rest.count == 1 { return .help(path: path) }
            guard let next = command.subcommands.first(where: { $0.name == word }) else {
                if command.body != nil, word.hasPrefix("-") { break }
                let kind = word.hasPrefix("-") ? "option" : "command"
                let known = word.hasPrefix("-") ? ["--help", "--version"] : command.subcommands.map(\.name)
                let hint = NearestName.hint(word, among: known)
                return .wrong(UsageError("unknown \(kind) \"\(word)\"\(hint)"), path: path)
            }
            path.append(next)
            rest = rest.dropFirst()
        }
        // What follows `--` belongs to another program.
        let own = rest.prefix { $0 != "--" }
        if own.contains("--help") || own.contains("-h") { return .help(path: path) }
        if rest.first == "--version", path.count == 1 { return .version }
        do {
            return .run(path: path, try invocation(of: path[path.count - 1], Array(rest)))
        } catch {
            return .wrong(error, path: path)
        }
    }

    private func invocation(of command: Command, _ words: [String]) throws(UsageError) -> Invocation {
        let known = command.allOptions
        var given: [Invocation.Given] = []
        var arguments: [String] = []
        var position = 0
        while position < words.count {
            let word = words[position]
            position += 1
            if word == "--" {
                arguments += words[position...]
                break
            }
            guard word.hasPrefix("-"), word != "-" else {
                arguments.append(word)
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let option = known.first(where: { "--" + $0.name == parts[0] }) else {
                let hint = NearestName.hint(parts[0], among: known.map { "--" + $0.name } + ["--help"])
                throw UsageError("unknown option \"\(parts[0])\"\(hint)")
            }
            guard option.isRepeatable || !given.contains(where: { $0.name == option.name }) else {
                throw UsageError("--\(option.name) is given twice")
            }
            if let placeholder = option.placeholder {
                if parts.count == 2 {
                    given.append(.init(name: option.name, value: parts[1]))
                } else if position < words.count {
                    given.append(.init(name: option.name, value: words[position]))
                    position += 1
                } else {
                    throw UsageError("--\(option.name) needs a value: \(placeholder)")
                }
            } else {
                guard parts.count == 1 else { throw UsageError("--\(option.name) takes no value") }
                given.append(.init(name: option.name, value: ""))
            }
        }
        let required = command.arguments.filter(\.isRequired)
        if arguments.count < required.count { throw UsageError("\(required[arguments.count].name) is missing") }
        if arguments.count > command.arguments.count, command.arguments.last?.isRepeatable != true {
            throw UsageError("unexpected argument \"\(arguments[command.arguments.count])\"")
        }
        return Invocation(options: given, arguments: arguments, programSettings: root.allSettings)
    }
}
