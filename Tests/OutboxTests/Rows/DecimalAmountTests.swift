import Contracts
import OrchardPostgres
import Outbox
import TestSupport
import Testing

@Suite("Amounts in SQL", .timeLimit(.minutes(4)))
struct DecimalAmountTests {
    @Test func `are those of every currency`() async throws {
        try await TestDatabase.with { database in
            let connection = try await PostgresConnection.connect(database.configuration)
            try await connection.script("CREATE SCHEMA shop; \(DecimalAmount.migrationSQL(schema: "shop"))")
            let amounts = Currency.all.flatMap { currency in
                [0, 5, -12_640, .max].map { Money(minorUnits: $0, currency: currency) }
            }
            let rows = try await connection.query(
                """
                SELECT shop.decimal_amount(amount, currency)::text AS decimal
                FROM unnest($1::bigint[], $2::text[]) WITH ORDINALITY AS t(amount, currency, n) ORDER BY n
                """, [amounts.map(\.minorUnits), amounts.map(\.currency.code)])
            for (amount, row) in zip(amounts, rows) {
                #expect(try row.string("decimal") == amount.decimal, "\(amount.currency)")
            }
            #expect(rows.count == amounts.count)
            await connection.close()
        }
    }
}
