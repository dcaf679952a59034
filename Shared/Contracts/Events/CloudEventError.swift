/// Why a record is not an event of this system.
public struct CloudEventError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    public enum Code: String, Sendable {
        case missingHeader, repeatedHeader, malformedHeader, wrongVersion, wrongContentType
    }

    public let code: Code
    /// The header concerned.
    public let header: String

    public init(_ code: Code, header: String) {
        self.code = code
        self.header = header
    }

    public var description: String { "\(code.rawValue): header \(header)" }
}
