import Foundation

/// Where settings come from; the first that has a key wins: command line, environment, file, default.
public struct ConfigSources: Sendable {
    /// Texts by option name without dashes (`http-port`).
    public var commandLine: [String: String]
    /// The process' environment.
    public var environment: [String: String]
    public var file: ConfigFile?
    /// Settings that the file may hold too, because other commands of the program read them: one file serves all.
    public var otherSettings: [ConfigKey]

    public init(
        commandLine: [String: String] = [:], environment: [String: String] = ProcessInfo.processInfo.environment,
        file: ConfigFile? = nil, otherSettings: [ConfigKey] = []
    ) {
        self.commandLine = commandLine
        self.environment = environment
        self.file = file
        self.otherSettings = otherSettings
    }

    /// A value, and which source gave it.
    struct Found {
        let texts: [String]
        let place: String
    }

    /// - Throws: ``ConfigurationError`` when a secret's file cannot be read or it is set in two ways at once.
    func find(_ key: ConfigKey) throws(ConfigurationError.Problem) -> Found? {
        if let text = commandLine[key.optionName] {
            let place = "command line --\(key.optionName)"
            return key.isSecret ? try contents(of: text, key, place) : Found(texts: [text], place: place)
        }
        // An empty variable counts as not set: container tools often set empty variables.
        let text = environment[key.environmentName].flatMap { $0.isEmpty ? nil : $0 }
        if key.isSecret, let path = environment[key.environmentName + "_FILE"], !path.isEmpty {
            guard text == nil else {
                throw .init(
                    key: key.name, reason: "set \(key.environmentName) or \(key.environmentName)_FILE, not both")
            }
            return try contents(of: path, key, "environment \(key.environmentName)_FILE")
        }
        if let text { return Found(texts: [text], place: "environment \(key.environmentName)") }
        guard let file else { return nil }
        if key.isSecret, let paths = file.values[key.name + "_file"] {
            guard file.values[key.name] == nil, paths.count == 1 else {
                throw .init(key: key.name, reason: "set \(key.name) or \(key.name)_file in \(file.path), not both")
            }
            return try contents(of: paths[0], key, "file \(file.path)")
        }
        return file.values[key.name].map { Found(texts: $0, place: "file \(file.path)") }
    }

    private func contents(
        of path: String, _ key: ConfigKey, _ place: String
    ) throws(ConfigurationError.Problem) -> Found {
        guard let data = FileManager.default.contents(atPath: path), let text = String(data: data, encoding: .utf8)
        else {
            throw .init(key: key.name, reason: "the secret's file \(path) (\(place)) cannot be read as UTF-8 text")
        }
        var lines = text[...]
        while let last = lines.last, last.isNewline { lines.removeLast() }
        return Found(texts: [String(lines)], place: "\(place) (\(path))")
    }
}

extension ConfigurationError.Problem: Error {}
