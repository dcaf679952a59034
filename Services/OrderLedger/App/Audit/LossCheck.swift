import Contracts
import Ledger
import OrchardPostgres
import Outbox

/// Lists facts that left the topic before the ledger read them.
struct LossCheck {
    let connection: PostgresConnection
    let inbox: Inbox

    func check() async throws -> AuditCheck {
        do {
            let losses = try await inbox.losses(on: connection)
            return Self.check(
                "\(losses.reduce(0) { $0 &+ ($1.offsets.upperBound &- $1.offsets.lowerBound) }) offsets",
                losses.map {
                    .init(
                        "offsets \($0.offsets.lowerBound)…\($0.offsets.upperBound - 1) are lost",
                        at: JournalPosition(partition: $0.partition, offset: $0.offsets.lowerBound))
                })
        } catch  where error.isDamage {
            return Self.check("0 offsets", [.init("\(error)")])
        }
    }

    private static func check(_ counts: String, _ findings: [AuditCheck.Finding]) -> AuditCheck {
        AuditCheck(
            "C5", "COMPLETE", "facts that left the topic unread", counts: counts, findings: FindingList(findings))
    }
}
