import OrchardServiceKit

/// `sandbox`: everything that runs Orchard on one machine and that production must not contain.
@main
struct SandboxProgram {
    static func main() async {
        await CommandLineProgram(root: root).main()
    }

    static let root = Command(
        name: "sandbox", summary: "what Orchard needs to run on one machine without Kafka, Apple or an acquirer",
        subcommands: [
            BrokerProgram.command, WalletProgram.command, AcquirerProgram.command, ServersProgram.command,
            DemoProgram.command, ShopProgram.command, LoadProgram.command,
        ])
}
