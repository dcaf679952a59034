/// An SQL statement of the sources: every string literal that begins like one.
public struct SourceStatement: Sendable {
    public let place: String
    public let sql: String

    /// Whether it reads all columns of a table (`SELECT *`). What is unnested has as many columns as it names.
    public var namesNoColumns: Bool {
        let line = sql.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return line.contains(/SELECT \*(?! FROM unnest\()|[a-z]\.\*/)
    }

    private static let beginnings = ["SELECT ", "INSERT INTO ", "UPDATE ", "DELETE FROM ", "WITH "]

    /// Gathers all statements, so that a new statement is included without being added to a list.
    ///
    /// - Parameters:
    ///   - folders: below the checkout's root.
    ///   - others: beginnings of paths that are left out.
    ///   - values: of each interpolation, by its Swift expression.
    /// - Throws: ``SourceLiteral/UnknownInterpolation``.
    public static func gather(
        below folders: [String], but others: [String] = [], values: [String: String]
    ) throws -> [SourceStatement] {
        var statements: [SourceStatement] = []
        for (path, text) in try Checkout.sources(below: folders) {
            guard !others.contains(where: { path.hasPrefix($0) }) else { continue }
            for literal in SourceLiteral.all(in: text, at: path) {
                guard case .text(let first)? = literal.pieces.first else { continue }
                let text = first.split(whereSeparator: \.isWhitespace).joined(separator: " ") + " "
                guard beginnings.contains(where: { text.hasPrefix($0) }) else { continue }
                statements.append(SourceStatement(place: literal.place, sql: try literal.text(with: values)))
            }
        }
        return statements
    }
}
