import Contracts
import OrchardHTTPTypes
import OrchardPostgres
import TestSupport
import Testing

@testable import OrderLedger

@Suite("Reading an order while facts are folded")
struct OrderReadingTests {
    @Test("begins again when a fold was committed between two of its statements")
    func foldedMeanwhile() async throws {
        try await TestShop.with { shop in
            let order = try await FollowUpTests.paid(shop)
            let owner = shop.ledger.owner
            // As a fold that is about to commit: its order is not seen yet, and the prices are behind a lock.
            try await owner.script(
                "CREATE TABLE public.kept AS SELECT * FROM ledger.orders; DELETE FROM ledger.orders;")
            try await owner.script(
                """
                BEGIN;
                LOCK TABLE ledger.order_offers IN ACCESS EXCLUSIVE MODE;
                INSERT INTO ledger.orders SELECT * FROM public.kept;
                UPDATE ledger.inbox_watermarks SET next_offset = next_offset + 1;
                """)
            async let answer = FollowUpTests.ask(shop, order, "voids")
            try await eventually {
                try await shop.ledger.database.withConnection { connection in
                    try await !connection.query(
                        "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
                    ).isEmpty
                }
            }
            try await owner.script("COMMIT")
            #expect(try await answer.status == .accepted)
        }
    }
}
