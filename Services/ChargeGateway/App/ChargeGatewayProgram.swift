import OrchardServiceKit

/// The program `charge-gateway`.
@main
enum ChargeGatewayProgram {
    static let root = Command(
        name: "charge-gateway", summary: "charge acquirers exactly once",
        subcommands: [
            ServeCommand.command, MigrateCommand.command, Gateway.recoverCommand, KeysCommand.command,
            AttemptsCommand.command, DeadLettersCommand.command,
        ])

    static func main() async {
        await CommandLineProgram(version: Build.version, root: root).main()
    }
}
