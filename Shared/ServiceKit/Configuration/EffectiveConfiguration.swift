/// Every setting as it holds, without secrets, and where it came from.
public struct EffectiveConfiguration: Sendable, Equatable, CustomStringConvertible {
    /// One setting.
    public struct Entry: Sendable, Equatable {
        public let key: String
        /// What may be shown of the value.
        public let shown: String
        /// `default`, `environment HTTP_PORT`, `file /etc/…`, `command line --http-port`.
        public let source: String
    }

    public let entries: [Entry]

    public var description: String {
        entries.map { "\($0.key) = \($0.shown) (\($0.source))" }.joined(separator: "\n")
    }

    /// Writes one line to the log: what the program runs with.
    public func log(to logger: Logger) {
        logger.info(
            "configuration",
            Dictionary(entries.map { ($0.key, "\($0.shown) (\($0.source))") }, uniquingKeysWith: { first, _ in first }))
    }
}
