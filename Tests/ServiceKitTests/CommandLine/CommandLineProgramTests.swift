import Foundation
import OrchardServiceKit
import Testing

@Suite("The command line")
struct CommandLineProgramTests {
    private struct TestError: Error, CustomStringConvertible { let description = "the shears are blunt" }

    private func run(
        _ line: String, seen: Locked<[Invocation]> = Locked([])
    ) async -> (status: Int32, output: String, errors: String) {
        let keys = ConfigReader.keys {
            ($0.int("water.litres", doc: "Water.", default: 10, in: 1...99), $0.secret("gate.code", doc: "Key."))
        }
        let plant = Command(
            name: "plant", summary: "plants a tree", discussion: "Trees grow slowly.",
            arguments: [.init("KIND", help: "Apple or pear."), .init("PLACE", help: "Where.", isRequired: false)],
            options: [
                .flag("deep", help: "Digs deeper."),
                .value("label", "TEXT", help: "Hangs a label on it.", repeatable: true),
            ],
            configuration: keys, examples: [.init("orchard plant apple --deep", "An apple tree")]
        ) { invocation in
            seen.withLock { $0.append(invocation) }
            return invocation.has("deep") ? 3 : 0
        }
        let prune = Command(name: "prune", summary: "prunes all trees") { _ in throw TestError() }
        let program = CommandLineProgram(
            version: "1.2.3", root: Command(name: "orchard", summary: "keeps trees", subcommands: [plant, prune]))
        var (output, errors) = ("", "")
        let text = line.split(separator: " ").map(String.init)
        let status = await program.run(text, output: { output += $0 }, errors: { errors += $0 })
        return (status, output, errors)
    }

    @Test("the program's help, as recorded", arguments: ["--help", "-h", "help"])
    func rootHelp(_ line: String) async {
        let recorded = """
            orchard: keeps trees

            Usage: orchard COMMAND [OPTION]…

            Commands:
              plant  plants a tree
              prune  prunes all trees

            Options:
              --help     Shows this help.
              --version  Shows the version.

            """
        #expect(await run(line) == (0, recorded, ""))
    }

    @Test("a command's help, as recorded", arguments: ["plant --help", "plant apple --deep -h"])
    func commandHelp(_ line: String) async {
        let recorded = """
            orchard plant: plants a tree

            Usage: orchard plant [OPTION]… KIND [PLACE]

            Trees grow slowly.

            Arguments:
              KIND   Apple or pear.
              PLACE  Where.

            Options:
              --deep        Digs deeper.
              --label TEXT  Hangs a label on it.
              --help        Shows this help.

            Settings, each as an option, an environment variable or a key of the JSON file named by --config FILE
            (or CONFIG_FILE); the option wins over the variable, the variable over the file:
              --water-litres
                  Water.
                  integer 1…99; default 10; WATER_LITRES
              --gate-code-file
                  Key.
                  secret; required; GATE_CODE or GATE_CODE_FILE

            Examples:
              # An apple tree
              orchard plant apple --deep

            """
        #expect(await run(line) == (0, recorded, ""))
    }

    @Test func version() async {
        #expect(await run("--version") == (0, "orchard 1.2.3\n", ""))
    }

    @Test(
        "a wrong command line exits with 2 and a hint",
        arguments: [
            ("", "orchard: a command is missing\nTry \"orchard --help\".\n"),
            ("plnat", "orchard: unknown command \"plnat\", did you mean \"plant\"?\nTry \"orchard --help\".\n"),
            ("xyz", "orchard: unknown command \"xyz\"\nTry \"orchard --help\".\n"),
            (
                "--vresion",
                "orchard: unknown option \"--vresion\", did you mean \"--version\"?\nTry \"orchard --help\".\n"
            ),
            (
                "plant apple --depe",
                "orchard plant: unknown option \"--depe\", did you mean \"--deep\"?\nTry \"orchard plant --help\".\n"
            ),
            ("plant", "orchard plant: KIND is missing\nTry \"orchard plant --help\".\n"),
            ("plant a b c", "orchard plant: unexpected argument \"c\"\nTry \"orchard plant --help\".\n"),
            ("plant a --label", "orchard plant: --label needs a value: TEXT\nTry \"orchard plant --help\".\n"),
            ("plant a --deep=1", "orchard plant: --deep takes no value\nTry \"orchard plant --help\".\n"),
            ("plant a --deep --deep", "orchard plant: --deep is given twice\nTry \"orchard plant --help\".\n"),
        ])
    func usage(_ line: String, _ errors: String) async {
        #expect(await run(line) == (2, "", errors))
    }

    @Test("options, settings and arguments reach the command, in order")
    func invocation() async throws {
        let seen = Locked<[Invocation]>([])
        #expect(await run("plant --label=a apple --deep --label b --water-litres 7 -- --north", seen: seen).status == 3)
        let invocation = try #require(seen.withLock { $0.last })
        #expect(invocation.arguments == ["apple", "--north"])
        #expect(invocation.values("label") == ["a", "b"])
        #expect(invocation.options.map(\.name) == ["label", "deep", "label", "water-litres"])
        #expect(invocation[option: "water-litres"] == "7")
    }

    @Test("a command that fails exits with 1 and says why")
    func failure() async {
        #expect(await run("prune") == (1, "", "orchard: the shears are blunt\n"))
    }

    @Test("one configuration file serves all commands of a program; what none of them reads is refused")
    func sharedFile() async throws {
        let path = NSTemporaryDirectory() + "orchard-\(UUID().uuidString).json"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let seen = Locked<Int?>(nil)
        let water = { @Sendable (reader: ConfigReader) in
            reader.int("water.litres", doc: "Water.", default: 10, in: 1...99)
        }
        let gates = { @Sendable (reader: ConfigReader) in reader.string("gate.code", doc: "Key.", default: "") }
        let soil = { @Sendable (reader: ConfigReader) in
            _ = reader.section("soil", doc: "By name.", isSecret: { _ in false })
        }
        let program = CommandLineProgram(
            version: "1",
            root: Command(
                name: "orchard", summary: "keeps trees",
                subcommands: [
                    Command(name: "water", summary: "waters", configuration: ConfigReader.keys { water($0) }) {
                        invocation in
                        let (litres, _) = try invocation.configuration(environment: [:]) { water($0) }
                        seen.withLock { $0 = litres }
                        return 0
                    },
                    Command(
                        name: "gates", summary: "gates",
                        subcommands: [
                            Command(name: "open", summary: "opens", configuration: ConfigReader.keys { gates($0) }) {
                                _ in 0
                            },
                            Command(name: "dig", summary: "digs", configuration: ConfigReader.keys { soil($0) }) { _ in
                                0
                            },
                        ]),
                ]))
        var errors = ""
        try Data(#"{"water.litres": 7, "gate.code": "x", "soil": {"clay": "much"}}"#.utf8).write(
            to: URL(filePath: path))
        #expect(await program.run(["water", "--config", path], output: { _ in }, errors: { errors += $0 }) == 0)
        #expect(seen.withLock { $0 } == 7)
        try Data(#"{"water.litres": 7, "gate.cod": "x"}"#.utf8).write(to: URL(filePath: path))
        #expect(await program.run(["water", "--config", path], output: { _ in }, errors: { errors += $0 }) == 2)
        #expect(errors.contains(#"gate.cod: is not a setting, did you mean "gate.code"?"#))
    }

    @Test("settings by name are explained with the variable that sets one")
    func settingsByName() async {
        let keys = ConfigReader.keys { $0.section("kafka.properties", doc: "Passed on.", isSecret: { _ in false }) }
        let program = CommandLineProgram(
            version: "1", root: Command(name: "orchard", summary: "keeps trees", configuration: keys) { _ in 0 })
        var output = ""
        _ = await program.run(["--help"], output: { output += $0 }, errors: { _ in })
        #expect(output.contains("  kafka.properties.NAME\n      Passed on.\n"))
        #expect(output.contains("KAFKA_PROPERTIES_NAME, with _ for each dot"))
    }

    @Test("the end of the program calls nothing that frees what threads of libraries still use")
    func end() async {
        // 2, as the arguments are those of the tests.
        await #expect(processExitsWith: .exitCode(2)) {
            atexit { abort() }
            await CommandLineProgram(version: "0", root: Command(name: "orchard", summary: "keeps trees")).main()
        }
    }
}
