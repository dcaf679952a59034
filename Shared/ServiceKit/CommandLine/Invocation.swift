import Foundation

/// The parsed options and arguments of one command.
public struct Invocation: Sendable, Equatable {
    /// Options in the order they were given; a flag's value is empty.
    public struct Given: Sendable, Equatable {
        public let name: String
        public let value: String
    }

    public let options: [Given]
    public let arguments: [String]
    /// The settings of all the program's commands.
    private let programSettings: [ConfigKey]

    public init(options: [Given] = [], arguments: [String] = [], programSettings: [ConfigKey] = []) {
        self.options = options
        self.arguments = arguments
        self.programSettings = programSettings
    }

    /// The value of an option, if it was given.
    public subscript(option name: String) -> String? { options.first { $0.name == name }?.value }

    /// The value of an option that the command requires.
    public func required(_ name: String) throws(UsageError) -> String {
        guard let value = self[option: name], !value.isEmpty else { throw UsageError("--\(name) is missing") }
        return value
    }

    /// The values of an option that may be given more than once.
    public func values(_ name: String) -> [String] { options.filter { $0.name == name }.map(\.value) }

    /// Whether a flag was given.
    public func has(_ flag: String) -> Bool { options.contains { $0.name == flag } }

    /// Reads a configuration from this command line, the environment and the file named by `--config` or `CONFIG_FILE`.
    ///
    /// - Throws: ``ConfigurationError`` with every problem.
    public func configuration<Configuration>(
        environment: [String: String] = ProcessInfo.processInfo.environment,
        _ make: (ConfigReader) -> Configuration
    ) throws(ConfigurationError) -> (Configuration, EffectiveConfiguration) {
        var sources = ConfigSources(environment: environment, otherSettings: programSettings)
        for given in options { sources.commandLine[given.name] = given.value }
        let path = self[option: "config"] ?? environment["CONFIG_FILE"] ?? ""
        if !path.isEmpty { sources.file = try ConfigFile(path: path) }
        return try ConfigReader.read(sources, make)
    }
}

/// The command line is wrong: the program says why and exits with status 2.
public struct UsageError: Error, Sendable, Equatable, CustomStringConvertible {
    public let reason: String

    public init(_ reason: String) {
        self.reason = reason
    }

    public var description: String { reason }
}
