import Contracts
import Foundation
import Ledger
import OrchardPostgres
import OrchardServiceKit

/// `order-ledger accounts`: the balances of all accounts at a time.
enum AccountsCommand {
    static let command = Command(
        name: "accounts", summary: "show the balances of all accounts at a time",
        discussion: """
            Sums the entries up to and including TIME, for each merchant and currency; without --at, up to now. By the \
            time of the event, an entry that comes late belongs to the day on which its fact happened; by the time of \
            booking (--booked), what was shown for a day stays as it was shown. Reads every entry in one snapshot, \
            a minute or more for 10^8 lines, and writes nothing. Exit status 0 when debits equal credits, 1 when they do \
            not, 2 when the entries could not be summed.
            """,
        options: [
            .value("at", "TIME", help: "RFC 3339, such as 2026-12-01T00:00:00+08:00."),
            .flag("booked", help: "By the time at which this database booked the entry."),
            .flag("json", help: "Print the balances as JSON, in minor units."),
        ],
        configuration: ConfigReader.keys { configuration($0) },
        examples: [
            .init("order-ledger accounts --at 2026-12-01T00:00:00+08:00", "the balances at the end of a month"),
            .init("order-ledger accounts --booked --json", "what is booked now, for another program"),
        ]
    ) { invocation in
        let time = try time(invocation)
        let (postgres, _) = try invocation.configuration { configuration($0) }
        do {
            let connection = try await PostgresConnection.connect(postgres)
            try await LedgerSchema.migrator.check(connection)
            let balances = try await AccountBalances(connection: connection).balances(
                at: time, by: invocation.has("booked") ? .booking : .event)
            await connection.close()
            FileHandle.standardOutput.write(
                invocation.has("json") ? Data(balances.json + [0x0A]) : Data(balances.text.utf8))
            return balances.isBalanced ? 0 : 1
        } catch {
            FileHandle.standardError.write(Data("order-ledger: could not sum the entries: \(error)\n".utf8))
            return 2
        }
    }

    private static func time(_ invocation: Invocation) throws(UsageError) -> Timestamp? {
        guard let text = invocation.values("at").last else { return nil }
        guard let time = Timestamp(rfc3339: text) else {
            throw UsageError("TIME is a date, a time and an offset, such as 2026-12-01T00:00:00+08:00")
        }
        return time
    }

    private static func configuration(_ reader: ConfigReader) -> PostgresConfiguration {
        var postgres = PostgresConfiguration(reader: reader, applicationName: "order-ledger accounts")
        // The entries of years take longer than a service's statement may.
        postgres.statementTimeout = nil
        return postgres
    }
}
