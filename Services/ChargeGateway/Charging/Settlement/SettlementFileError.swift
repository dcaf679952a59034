/// Why a settlement file is refused whole. It tells where, and never what stands there: rows hold card numbers.
public struct SettlementFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    public enum Code: String, Sendable, CaseIterable {
        /// Not packed as it must be, damaged on the way, or far too large.
        case packing
        /// A file is missing, or is there twice.
        case missing
        /// It is another account's.
        case account
        /// It is another day's, or of a day that is not over.
        case date
        /// A line has another length or form: the file is cut, or of another version.
        case form
        /// A column holds what it must not.
        case column
        /// A kind of transaction that this version does not know.
        case kind
        /// A row's amount, fee and net do not fit each other.
        case rowSum
        /// The rows do not sum to what the file says they do.
        case total
        /// A card number stands in the clear: nothing of the file is kept.
        case cardNumber
        /// A transaction is there twice.
        case duplicate
    }

    /// Where the fault is.
    public struct Place: Hashable, Sendable, CustomStringConvertible {
        /// A file's name, without what is the account's.
        public let file: String
        /// From 1; nil for the whole file.
        public let line: Int?
        /// From 1, as the acquirer numbers columns; nil for the whole line.
        public let column: Int?

        public init(_ file: String, line: Int? = nil, column: Int? = nil) {
            (self.file, self.line, self.column) = (file, line, column)
        }

        public var description: String {
            file + (line.map { ", line \($0)" } ?? "") + (column.map { ", column \($0)" } ?? "")
        }
    }

    public let code: Code
    public let reason: String
    public let place: Place

    public init(_ code: Code, _ reason: String, at place: Place) {
        (self.code, self.reason, self.place) = (code, reason, place)
    }

    public var description: String { "\(code.rawValue) at \(place): \(reason)" }
}
