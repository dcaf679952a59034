/// Why a key file was not read or written. It holds nothing of the file's content.
public struct KeyFileError: Error, Hashable, Sendable {
    /// What kind of failure this is; open for new kinds.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String
        public init(_ name: String) { description = name }

        /// The file does not exist.
        public static let missing = Code("missing")
        /// The file exists already and must not be overwritten.
        public static let exists = Code("exists")
        /// The operating system refuses to read it.
        public static let unreadable = Code("unreadable")
        /// The operating system refuses to write it.
        public static let unwritable = Code("unwritable")
        /// Other users than the owner may read a private key.
        public static let exposed = Code("exposed")
        /// The file does not hold the expected keys.
        public static let content = Code("content")
        /// Another command is changing key files in the same folder.
        public static let busy = Code("busy")
    }

    public let code: Code
    /// The file this is about.
    public let path: String
    /// What is wrong and what to do.
    public let reason: String

    public init(_ code: Code, _ path: String, _ reason: String) {
        self.code = code
        self.path = path
        self.reason = reason
    }
}

extension KeyFileError: CustomStringConvertible {
    public var description: String { "\(path): \(reason)" }
}
