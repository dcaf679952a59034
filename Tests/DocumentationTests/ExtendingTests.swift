import Contracts
import Foundation
import OrchardPostgres
import OrchardServiceKit
import TestSupport
import Testing

/// What docs/extending.md shows does what the page says. That it is the sources' text, `ExcerptTests` compares.
@Suite("docs/extending.md")
struct ExtendingTests {
    @Test("a setting comes from the environment, and a wrong one is reported with its name")
    func setting() throws {
        let sources = ConfigSources(environment: ["GREET_TEXT": "good morning", "GREET_PAUSE": "10ms"])
        let configuration = try ConfigReader.read(sources) { GreetConfiguration(reader: $0) }.0
        #expect(configuration.greeting == "good morning" && configuration.pause == .milliseconds(10))
        #expect {
            _ = try ConfigReader.read(ConfigSources(environment: ["GREET_PAUSE": "2h"])) {
                GreetConfiguration(reader: $0)
            }
        } throws: { error in
            (error as? ConfigurationError)?.problems.map(\.key) == ["greet.pause"]
        }
    }

    @Test("a command has help with its settings, and refuses a wrong line")
    func command() async {
        let program = CommandLineProgram(
            root: Command(name: "example", summary: "an example", subcommands: [GreetCommand.command]))
        func run(_ arguments: String...) async -> (status: Int32, text: String) {
            let text = Locked("")
            let add: (String) -> Void = { more in text.withLock { $0 += more } }
            let status = await program.run(arguments, output: add, errors: add)
            return (status, text.withLock { $0 })
        }
        let help = await run("greet", "--help")
        #expect(help.status == 0 && help.text.contains("--greet-pause"))
        #expect(await run("greet").status == 2)
        #expect(await run("greet", "Li", "--greet-pause", "0s").status == 0)
    }

    @Test("a migration runs once, and the next one after it")
    func migration() async throws {
        try await TestDatabase.with { database in
            let connection = try await PostgresConnection.connect(database.configuration)
            #expect(try await NotesSchema.migrator.migrate(connection) == ["0001_notes", "0002_note_author"])
            #expect(try await NotesSchema.migrator.migrate(connection).isEmpty)
            try await NotesSchema.migrator.check(connection)
            await connection.close()
        }
    }

    @Test("a currency has its own number of decimals", arguments: [("JPY", "1234", 1_234), ("KWD", "1.234", 1_234)])
    func currency(code: String, decimal: String, minorUnits: Int64) throws {
        let currency = try #require(Currency(code))
        #expect(Money(decimal: decimal, currency: currency)?.minorUnits == minorUnits)
    }

    @Test("every fact type can be read, and its text is its own")
    func factTypes() {
        #expect(Set(FactType.all.map(\.text)).count == FactType.all.count)
        for type in FactType.all { #expect(FactType(type.text) == type) }
    }
}

/// The pages of the libraries for others (DocC): their code stands in sources that are compiled.
@Suite("Library pages")
struct LibraryPageTests {
    @Test(
        "show code of the checkout",
        arguments: ["ApplePayToken", "Acquirers", "AcquirerConformance", "OrchardServiceKit", "KafkaBridge"])
    func blocks(library: String) throws {
        let paths = ["Services", "Shared", "Tests"].flatMap { folder in
            (FileManager.default.enumerator(atPath: Checkout.root.appending(path: folder).path)?.compactMap {
                $0 as? String
            } ?? [])
            .map { "\(folder)/\($0)" }
        }
        let path = try #require(paths.first { $0.hasSuffix("\(library).docc/\(library).md") })
        let text = try String(contentsOf: Checkout.root.appending(path: path), encoding: .utf8)
        let blocks = text.matches(of: #/<!-- (\S+) -->\n```swift\n((?s).*?)```/#)
        #expect(!blocks.isEmpty)
        for block in blocks {
            let source = try String(contentsOf: Checkout.root.appending(path: String(block.output.1)), encoding: .utf8)
            #expect(source.contains(block.output.2), "\(path): \(block.output.1) has no such lines")
        }
    }
}
