/// Why rows cannot be read or written as they must be.
struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    enum Code: String, Sendable {
        /// A column holds what the gateway never writes.
        case malformed
        /// A statement wrote another number of rows than it must.
        case miscounted
    }

    let code: Code
    /// The column or the statement.
    let place: String
    let reason: String

    init(_ code: Code, at place: String, _ reason: String) {
        self.code = code
        self.place = place
        self.reason = reason
    }

    var description: String { "\(code.rawValue) at \(place): \(reason)" }
}
