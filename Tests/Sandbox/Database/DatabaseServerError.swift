/// Why a private PostgreSQL cluster is not available.
public struct DatabaseServerError: Error, CustomStringConvertible {
    public let reason: String
    public var description: String { reason }

    init(_ reason: String) { self.reason = reason }
}
