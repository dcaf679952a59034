import Foundation

/// A child process cannot be started, or does not do in time what it should.
public struct ChildProcessError: Error, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }

    /// - Parameter code: of `errno`.
    init(_ what: String, code: Int32) { self.init("\(what): \(String(cString: strerror(code)))") }
}
