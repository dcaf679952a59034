import JOSE
import Postgres

/// Which sealing keys waiting charges need.
struct KeyNeeds: Sendable {
    let pool: PostgresPool

    /// The identifiers of keys that charges are sealed to which may still be sent, and which the set lacks.
    func missing(from set: JWKSet) async throws -> [String] {
        try await pool.withConnection { connection in
            try await connection.query(
                """
                SELECT DISTINCT sealing_key FROM gateway.operations
                WHERE sealed_card IS NOT NULL AND sealing_key IS NOT NULL AND expires_at > clock_timestamp()
                ORDER BY sealing_key
                """
            ).map { try $0.string("sealing_key") }
        }.filter { set[$0]?.privateKey == nil }
    }

    /// What to do about keys that are missing.
    static func complaint(_ missing: [String], _ path: String) -> String {
        "charges wait for \(missing.count == 1 ? "a sealing key" : "sealing keys") not in \(path): "
            + "\(missing.joined(separator: ", ")); put them back, charges expire with their tickets"
    }
}
