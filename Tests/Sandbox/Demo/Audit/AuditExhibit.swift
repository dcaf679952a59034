import OrchardPostgres
import SandboxProcesses

/// Shows that the audit finds changes that a superuser makes to the books with triggers off.
struct AuditExhibit {
    let superuser: PostgresConnection
    /// Runs a command of order-ledger.
    let run: (_ command: String) async throws -> ProgramRun

    /// One attempt and its result.
    struct Line: Sendable {
        let what: String
        /// The audit's line about it, or its last line.
        let verdict: String
        let isRight: Bool
    }

    func show() async throws -> [Line] {
        let target = try await newestEntry()
        var lines = [try await check("the books as they are", "audit", expecting: 0, naming: nil)]
        lines.append(try await check("replay of the journal from offset 0", "replay", expecting: 0, naming: nil))
        try await damage(
            "UPDATE ledger.entries SET amount = amount + 1 WHERE partition = $1 AND \"offset\" = $2 AND line = 1",
            target)
        lines.append(
            try await check("one amount changed by one fen at \(target.place)", "audit", expecting: 1, naming: target))
        try await damage(
            "UPDATE ledger.entries SET amount = amount - 1 WHERE partition = $1 AND \"offset\" = $2 AND line = 1",
            target)
        try await superuser.script("CREATE TABLE public.removed AS SELECT * FROM ledger.entries WHERE false")
        try await damage(
            """
            WITH gone AS (DELETE FROM ledger.entries WHERE partition = $1 AND "offset" = $2 RETURNING *)
            INSERT INTO public.removed SELECT * FROM gone
            """, target)
        lines.append(
            try await check("the newest entry removed at \(target.place)", "audit", expecting: 1, naming: target))
        try await damage(
            "INSERT INTO ledger.entries SELECT * FROM public.removed WHERE partition = $1 AND \"offset\" = $2", target)
        try await superuser.script("DROP TABLE public.removed")
        lines.append(try await check("everything restored", "audit", expecting: 0, naming: nil))
        return lines
    }

    private struct Target {
        let partition: Int32
        let offset: Int64
        var place: String { "partition \(partition), offset \(offset)" }
    }

    private func newestEntry() async throws -> Target {
        let rows = try await superuser.query(
            "SELECT partition, \"offset\" FROM ledger.entries ORDER BY occurred_at DESC, \"offset\" DESC LIMIT 1")
        guard let row = rows.first else { throw DemoError("the ledger has no entries") }
        return Target(partition: try row.int32("partition"), offset: try row.int64("offset"))
    }

    /// Changes rows with every trigger off, as only a superuser or the owner can. Afterwards they are on again.
    private func damage(_ sql: String, _ target: Target) async throws {
        try await superuser.transaction { connection in
            try await connection.script("ALTER TABLE ledger.entries DISABLE TRIGGER USER")
            _ = try await connection.execute(sql, [target.partition, target.offset])
            for trigger in ["entries_append_only", "entries_balance"] {
                try await connection.script("ALTER TABLE ledger.entries ENABLE ALWAYS TRIGGER \(trigger)")
            }
        }
    }

    private func check(
        _ what: String, _ command: String, expecting status: Int32, naming target: Target?
    ) async throws -> Line {
        let result = try await run(command)
        let lines = result.output.split(separator: "\n").map(String.init)
        let named = target.map { target in
            lines.first {
                $0.contains("P\(target.partition)@\(target.offset)")
                    || ($0.contains("partition \(target.partition)") && $0.contains("offset \(target.offset)"))
            }
        }
        let isRight = result.status == status && (target == nil || named.flatMap(\.self) != nil)
        // Of an audit that found something else than it should, all findings and their checks.
        let unexpected = isRight ? [] : lines.filter { $0.contains("→") || $0.hasSuffix("FAILED") }
        let said = unexpected + [named.flatMap(\.self) ?? lines.last { !$0.isEmpty } ?? "no output"]
        let verdict = said.map { $0.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ") }
            .joined(separator: "; ")
        return Line(what: what, verdict: "\(command) exits \(result.status): \(verdict)", isRight: isRight)
    }
}
