import Foundation
import OrchardServiceKit
import SandboxDemo

/// `sandbox demo`: a simulated day of two shops on this machine.
enum DemoProgram {
    static let command = Command(
        name: "demo", summary: "play a shop's day with real processes and compare five books",
        discussion: """
            Starts an embedded broker, a private PostgreSQL cluster, the acquirer's simulator and two processes of each \
            service, plays the day, lets the acquirer's files be fetched and reconciled, compares the outcomes on the \
            devices with the acquirer's own book, the gateway, the ledger and the files, damages the books to show that the audit finds it, and prints a summary. Then everything \
            keeps running until Ctrl-C.
            """,
        options: [
            .flag("once", help: "End by itself; the exit status is 0 only when every number is right."),
            .flag("chaos", help: "Kill services with SIGKILL while payments are in progress."),
            .flag("storm", help: "The same all day long, and broker, database and acquirer fail as well."),
            .value(
                "broker-restart", "COMMAND",
                help: "In a storm, the shell command that kills a real Kafka and starts it again."),
            .value(
                "bootstrap-servers", "HOST:PORT",
                help: "Play on a real Kafka, in topics of the run's own, instead of the embedded broker."),
            .value(
                "kafka-namespace", "PREFIX",
                help: "Prefix of the names of topics and groups there; the topics are deleted at the end."),
            .value(
                "kafka-certificates", "DIR",
                help: "Use TLS there with ca.crt and, for admin and each service by its name, NAME.crt and NAME.key."),
            .value(
                "orders", "N", help: "How many orders, at least 200; default 220, with --chaos 1000, with --storm 2000."
            ),
            .value("seed", "N", help: "The seed of the day, default 1."),
            .value("run", "DIR", help: "Where the run keeps its files, default .run."),
            .value("oracles", "DIR", help: "Independent simulators in Python that take the place of ours."),
        ],
        examples: [
            .init("sandbox demo --once", "play the day once"),
            .init("sandbox demo --once --chaos", "the same while services are killed"),
            .init("sandbox demo --once --storm --orders 10000", "while everything fails"),
            .init("sandbox demo --once --bootstrap-servers kafka-1:9092", "the same day on a real Kafka"),
        ]
    ) { invocation in
        var options = DemoOptions()
        options.isOnce = invocation.has("once")
        options.isChaos = invocation.has("chaos")
        options.bootstrapServers = invocation[option: "bootstrap-servers"]
        options.kafkaNamespace = invocation[option: "kafka-namespace"]
        options.kafkaCertificates = invocation[option: "kafka-certificates"].map { URL(filePath: $0) }
        options.oracles = invocation[option: "oracles"].map { URL(filePath: $0) }
        // Enough work for ten kills of each service.
        if options.isChaos { options.orders = 1_000 }
        if invocation.has("storm") {
            (options.isChaos, options.orders, options.storm) = (true, 2_000, StormOptions())
            options.storm?.brokerRestart = invocation[option: "broker-restart"]
        }
        guard options.storm == nil || (options.storm?.brokerRestart == nil) == (options.bootstrapServers == nil) else {
            throw UsageError("--storm needs --broker-restart with --bootstrap-servers, and only then")
        }
        if let text = invocation[option: "orders"] {
            guard let orders = Int(text), (200...100_000).contains(orders) else {
                throw UsageError("--orders is a number from 200 on")
            }
            options.orders = orders
        }
        if let text = invocation[option: "seed"] {
            guard let seed = UInt64(text) else { throw UsageError("--seed is a number") }
            options.seed = seed
            options.storm?.seed = seed
        }
        if let run = invocation[option: "run"] { options.run = URL(filePath: run) }
        return try await Demo(options).run()
    }
}
