import OrchardPostgres
import Testing

@testable import OrderLedger

@Suite("The connections of an audit")
struct LedgerConnectionsTests {
    @Test(
        "read pages by an index, and compile no statement", arguments: ["enable_seqscan", "enable_bitmapscan", "jit"])
    func settings(_ name: String) async throws {
        try await TestLedger.with { ledger in
            try await LedgerConnections.with(ledger.service) { connections in
                for reader in connections.readers {
                    let rows = try await reader.connection.query("SELECT current_setting($1) AS value", [name])
                    #expect(try rows[0].string("value") == "off")
                }
            }
        }
    }
}
