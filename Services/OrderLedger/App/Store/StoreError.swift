/// A row of the ledger's database that cannot be what the ledger wrote.
struct StoreError: Error, Hashable, CustomStringConvertible {
    enum Code: String {
        /// A column holds what the ledger never writes.
        case malformed
        /// A statement wrote another number of rows than it was given.
        case miscounted
    }

    let code: Code
    /// Table and column, or statement.
    let place: String
    let reason: String

    init(_ code: Code, at place: String, _ reason: String) {
        self.code = code
        self.place = place
        self.reason = reason
    }

    var description: String { "\(place): \(reason)" }
}
