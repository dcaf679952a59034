import Foundation
import OrchardPostgres
import TestSupport
import Testing

@testable import OrderLedger

@Suite("The recorded schema")
struct SchemaCatalogueTests {
    @Test("equals the result of the migrations; after a change run `Tests/record schema`")
    func recorded() async throws {
        try await TestLedger.with { ledger in
            let found = try await SchemaCatalogue.read(LedgerSchema.name, on: ledger.owner)
            guard ProcessInfo.processInfo.environment["ORCHARD_RECORD"] != "schema" else {
                return try Self.record(found)
            }
            let differences = found.differences(from: LedgerSchema.catalogue)
            #expect(differences.isEmpty, "run `Tests/record schema`")
            #expect(found.text == LedgerSchema.catalogue.text)
            #expect(found.objects.count > 100)
        }
    }

    @Test("reads the same for the service's role, whatever its search path")
    func sameForAll() async throws {
        try await TestLedger.with { ledger in
            let owners = try await SchemaCatalogue.read(LedgerSchema.name, on: ledger.owner)
            let services = try await ledger.database.withConnection { connection in
                try await connection.execute("SET search_path = ledger, public")
                let catalogue = try await SchemaCatalogue.read(LedgerSchema.name, on: connection)
                try await connection.execute("RESET search_path")
                return catalogue
            }
            #expect(services == owners)
        }
    }

    /// The columns are half of it, and have a file of their own.
    private static func record(_ catalogue: SchemaCatalogue) throws {
        let lines = catalogue.text.split(separator: "\n")
        let columns = lines.prefix { $0.hasPrefix("column ") }
        try write("LedgerColumns", of: "the columns", columns)
        try write("LedgerCatalogue", of: "all but the columns", lines.dropFirst(columns.count))
    }

    private static func write(_ name: String, of part: String, _ lines: some Sequence<Substring>) throws {
        let source = """
            // swift-format-ignore-file: long lines
            /// What the migrations make of an empty database: \(part), written by `Tests/record schema`: never edit it by hand.
            enum \(name) {
                static let text = #\"""
            \(lines.map { "        \($0)\n" }.joined())        \"""#
            }

            """
        try source.write(
            to: Checkout.root.appending(path: "Services/OrderLedger/App/Schema/\(name).swift"),
            atomically: true, encoding: .utf8)
    }
}
