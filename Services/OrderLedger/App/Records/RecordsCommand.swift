import Contracts
import Foundation
import OrchardPostgres
import OrchardServiceKit
import Outbox

/// `order-ledger records`: the journal's records as the books keep them.
enum RecordsCommand {
    static let command = Command(
        name: "records", summary: "show records of the journal as the books keep them",
        discussion: """
            Prints each record with its headers and its value as a line of JSON. The books keep records packed, so that SQL \
            does not show them. Only the size is shown of a record that could not be read when it came, and of one that may \
            hold a card number. Exit status 0 when everything that was named is there and whole, 1 when something is missing \
            or its row was changed ("isWhole":false).
            """,
        arguments: [
            .init("PLACE", help: "Where the record is in the journal: P3@41.", isRequired: false, isRepeatable: true)
        ],
        options: [.value("order", "ID", help: "All records of an order that are in the books.")],
        configuration: ConfigReader.keys { configuration($0) },
        examples: [
            .init("order-ledger records P3@41 --config order-ledger.json", "one record"),
            .init(
                "order-ledger records --order 019abc3f8a7e7d318f4b62d1c09a5e77 --config order-ledger.json",
                "what happened to an order"),
        ]
    ) { invocation in
        let places = try invocation.arguments.map { text throws(UsageError) in try DeadLetterPlace(text) }
        let order = try order(invocation)
        guard !places.isEmpty || order != nil else { throw UsageError("name a PLACE, or give --order") }
        let (postgres, _) = try invocation.configuration { configuration($0) }
        let connection = try await PostgresConnection.connect(postgres)
        try await LedgerSchema.migrator.check(connection)
        let records = KeptRecords(connection: connection)
        var found: [KeptRecord] = []
        var missing: [String] = []
        for place in places {
            let record = try await records.record(at: place)
            if let record { found.append(record) } else { missing.append("record at \(place)") }
        }
        if let order {
            let all = try await records.records(of: order)
            if all.isEmpty { missing.append("record of the order \(order)") }
            found += all
        }
        for record in found { print(record.json) }
        await connection.close()
        var findings = missing.map { "the books have no \($0)" }
        if !found.allSatisfy(\.isWhole) {
            findings.append("the row of a record was changed (\"isWhole\":false); run order-ledger audit")
        }
        if findings.isEmpty { return 0 }
        FileHandle.standardError.write(Data(findings.map { "order-ledger: \($0)\n" }.joined().utf8))
        return 1
    }

    private static func order(_ invocation: Invocation) throws(UsageError) -> OrderID? {
        guard let text = invocation.values("order").last else { return nil }
        guard let order = OrderID(text) else { throw UsageError("ID is an order's: 32 hexadecimal digits") }
        return order
    }

    private static func configuration(_ reader: ConfigReader) -> PostgresConfiguration {
        PostgresConfiguration(reader: reader, applicationName: "order-ledger records")
    }
}
