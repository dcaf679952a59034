import Contracts
import OrchardPostgres

/// Identifiers are kept as `uuid`: 16 bytes, which PostgreSQL orders as the identifiers are ordered.
extension Identifier: PostgresScalar {
    public static var postgresType: PostgresType { .uuid }
    public static var postgresArrayType: PostgresType { .uuidArray }
    public func encode(into bytes: inout [UInt8]) { append(to: &bytes) }
}
