/// The effective value of every setting, without secrets, and the source of each.
public struct EffectiveConfiguration: Sendable, Equatable, CustomStringConvertible {
    /// One setting.
    public struct Entry: Sendable, Equatable {
        public let key: String
        /// The value as it may be shown.
        public let shown: String
        /// `default`, `environment HTTP_PORT`, `file /etc/…`, `command line --http-port`.
        public let source: String
    }

    public let entries: [Entry]

    public var description: String {
        entries.map { "\($0.key) = \($0.shown) (\($0.source))" }.joined(separator: "\n")
    }

    /// Writes one line to the log with the configuration in effect.
    public func log(to logger: Logger) {
        logger.info(
            "configuration",
            Dictionary(entries.map { ($0.key, "\($0.shown) (\($0.source))") }, uniquingKeysWith: { first, _ in first }))
    }
}
