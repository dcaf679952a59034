/// Everything that is wrong with the configuration, in one error.
public struct ConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// One wrong, missing or unknown setting.
    public struct Problem: Sendable, Hashable {
        /// The name of the setting, or the place of the problem.
        public let key: String
        /// What is wrong and what to do. Never holds a secret.
        public let reason: String

        public init(key: String, reason: String) {
            self.key = key
            self.reason = reason
        }
    }

    public let problems: [Problem]

    public init(problems: [Problem]) {
        self.problems = problems
    }

    public var description: String {
        let head = problems.count == 1 ? "1 problem" : "\(problems.count) problems"
        return "\(head) in the configuration:\n" + problems.map { "  \($0.key): \($0.reason)" }.joined(separator: "\n")
    }
}

extension [ConfigurationError.Problem] {
    /// Reads one of several files and keeps its problems, so that one message can list the problems of all files.
    ///
    /// - Returns: nil when there is a problem.
    public mutating func gather<Value>(_ read: () throws(ConfigurationError) -> Value) -> Value? {
        do {
            return try read()
        } catch {
            self += error.problems
            return nil
        }
    }
}
