import Foundation

/// A program to start as a ``ChildProcess``.
public struct ChildCommand: Sendable {
    /// Where a standard stream of the child leads.
    public enum Stream: Sendable {
        /// Nowhere: nothing to read, and what is written is lost.
        case null
        /// Where this process's own leads.
        case inherited
        /// A file; output is appended to it.
        case file(URL)
        /// To this process. Output and errors that both lead here are one text.
        case pipe
    }

    /// A path, or a name that is searched in this process's PATH.
    public var program: String
    public var arguments: [String]
    /// The whole environment; nil is this process's.
    public var environment: [String: String]?
    public var directory: URL?
    public var input: Stream
    public var output: Stream
    public var errors: Stream
    /// Whether the terminal's Ctrl-C reaches it.
    public var isInForeground: Bool

    public init(
        _ program: String, _ arguments: [String] = [], environment: [String: String]? = nil, in directory: URL? = nil,
        input: Stream = .null, output: Stream = .inherited, errors: Stream = .inherited, isInForeground: Bool = false
    ) {
        self.program = program
        self.arguments = arguments
        self.environment = environment
        self.directory = directory
        self.input = input
        self.output = output
        self.errors = errors
        self.isInForeground = isInForeground
    }

    /// This process's environment with some variables added or changed.
    public static func environment(adding variables: [String: String]) -> [String: String] {
        ProcessInfo.processInfo.environment.merging(variables) { _, new in new }
    }
}
