import Ledger
import OrchardPostgres
import Outbox

extension DatabaseCheck {
    /// Facts that left the topic before the ledger read them.
    static func losses(_ inbox: Inbox) -> DatabaseCheck {
        DatabaseCheck(id: "C5") { connection in
            let (section, title) = ("COMPLETE", "facts that left the topic unread")
            do {
                let losses = try await inbox.losses(on: connection)
                return AuditCheck(
                    "C5", section, title, counts: "\(losses.reduce(0) { $0 &+ $1.offsets.count }) offsets",
                    findings: losses.map {
                        .init(
                            "offsets \($0.offsets.lowerBound)…\($0.offsets.upperBound - 1) are lost",
                            at: JournalPosition(partition: $0.partition, offset: $0.offsets.lowerBound))
                    })
            } catch  where error.isDamage {
                return AuditCheck("C5", section, title, counts: "0 offsets", findings: [.init("\(error)")])
            }
        }
    }
}
