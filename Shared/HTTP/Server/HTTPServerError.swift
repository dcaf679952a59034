/// Why the server cannot run.
public struct HTTPServerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The step that failed.
    public enum Code: Hashable, Sendable {
        /// The host is not an address of this machine, or the port is taken or not allowed.
        case listen
        /// The kernel gave no epoll or event descriptor.
        case poll
        /// The limit of open files leaves no connections.
        case openFiles
    }

    public let code: Code
    /// What failed and what to do about it.
    public let reason: String

    init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    public var description: String { reason }
}
