/// Why packed bytes from outside are refused. Nothing of their content is told.
public struct CompressionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    public enum Code: String, Sendable, CaseIterable {
        /// Not in the format, cut, or with bytes behind its end.
        case malformed
        /// More than the reader allows.
        case tooLarge
        /// A part of the format that nobody needs here: encryption, other methods, several disks, ZIP64.
        case unsupported
        /// The unpacked bytes are not those that were packed.
        case checksum
    }

    public let code: Code
    public let reason: String
    /// The offset in the packed bytes.
    public let place: Int

    public init(_ code: Code, _ reason: String, at place: Int) {
        self.code = code
        self.reason = reason
        self.place = place
    }

    public var description: String { "\(code.rawValue) at byte \(place): \(reason)" }
}
