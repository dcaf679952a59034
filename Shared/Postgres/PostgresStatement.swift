/// An SQL statement with its parameters (`$1`, `$2` …).
public struct PostgresStatement: Sendable {
    /// One statement. Its text is the key of the connection's prepared statements, so keep values out of it.
    public let sql: String
    public let parameters: [any PostgresEncodable]

    public init(_ sql: String, _ parameters: [any PostgresEncodable] = []) {
        self.sql = sql
        self.parameters = parameters
    }

    /// Whether the parameters can be sent: what a test can ask without a server.
    ///
    /// - Throws: ``PostgresError/Code/value``.
    package func checkParameters() throws(PostgresError) { _ = try ParameterBlock(parameters) }

    package var parameterTypes: [PostgresType] { parameters.map { type(of: $0).postgresType } }
}
