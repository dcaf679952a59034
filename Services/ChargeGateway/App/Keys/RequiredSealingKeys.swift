import KeyFiles
import OrchardJOSE
import OrchardPostgres
import OrchardServiceKit

/// The sealing keys that waiting charges need.
struct RequiredSealingKeys: Sendable {
    let pool: PostgresPool
    let sealingKeys: KeySetFile

    /// Names the missing keys of charges that may still be sent, and what to do; nil when none is missing.
    func problem() async throws -> String? {
        let keys = sealingKeys.keys
        // The timer of a charge whose row is damaged tells of it.
        let missing = try await pool.withConnection { connection in
            try await connection.query(
                """
                SELECT DISTINCT sealing_key FROM gateway.operations
                WHERE sealed_card IS NOT NULL AND sealing_key IS NOT NULL AND expires_at > clock_timestamp()
                ORDER BY sealing_key
                """
            ).compactMap { try? $0.string("sealing_key") }
        }.filter { keys[$0]?.privateKey == nil }
        guard !missing.isEmpty else { return nil }
        return "charges wait for \(missing.count == 1 ? "a sealing key" : "sealing keys") not in \(sealingKeys.path): "
            + "\(missing.joined(separator: ", ")); put them back, charges expire with their tickets"
    }

    /// Reports it to the readiness.
    func report(_ readiness: Readiness) async {
        do {
            let problem = try await problem()
            readiness.set(
                "sealing keys", ready: problem == nil, reason: problem ?? "every waiting charge can be opened")
        } catch let error as PostgresError where error.sqlState != nil {
            readiness.set(
                "sealing keys", ready: false, reason: "waiting charges cannot be compared with the keys: \(error)")
        } catch {
            // The pool reports a database that is away.
        }
    }
}
