import Foundation
import OrchardServiceKit
import SandboxDemo

/// `sandbox shop`: a shop on the web to try everything in.
enum ShopProgram {
    static let command = Command(
        name: "shop", summary: "serve a shop on the web, with everything behind it",
        discussion: """
            Starts an embedded broker, a private PostgreSQL cluster, the acquirer's simulator, Apple's session server, one \
            process of each service, and a shop whose pages take Apple Pay; prints its address. Where the browser has no \
            Apple Pay, a stand-in of the sheet plays the iPhone, with cards that pay, are declined, or lose the \
            acquirer's answer. Everything runs until Ctrl-C, on this machine only; nothing is kept.
            """,
        options: [
            .value("port", "PORT", help: "The port of the pages, default 8080; 0 takes a free one."),
            .value("pages", "DIR", help: "Pages that are read at each request, instead of those in the program."),
            .value("order-lifetime", "SECONDS", help: "How long an order may be paid, from 1, default 1800."),
            .value("bootstrap-servers", "HOST:PORT", help: "A real Kafka instead of the embedded broker."),
            .value("run", "DIR", help: "Where the run keeps its files, default .run."),
        ],
        examples: [
            .init("sandbox shop", "open http://localhost:8080/ then"),
            .init("sandbox shop --pages Tests/Sandbox/Demo/Storefront/Pages", "change the pages while it runs"),
        ],
        subcommands: [serve]
    ) { invocation in try await Storefront(options(invocation)).run() }

    private static let serve = Command(
        name: "serve", summary: "serve the same shop against services that run already",
        discussion: """
            The services must trust the wallet's root and its session server (`sandbox wallet serve`), hold its merchant's \
            keys, have the shop's address among the merchant's `origins`, and send webhooks to /webhooks of the shop. The \
            acquirer is `sandbox acquirer serve --plain-amounts`, so that no price chooses a fault. A proxy serves the \
            pages, and the services' /v1 beside them.
            """,
        configuration: ConfigReader.keys { ShopConfiguration(reader: $0) },
        examples: [.init("sandbox shop serve --config shop.json", "settings from a file, as the services have them")]
    ) { invocation in
        let (configuration, effective) = try invocation.configuration { ShopConfiguration(reader: $0) }
        let logger = configuration.log.logger(label: "shop")
        logger.notice("starting", ["configuration": effective.description])
        try await ServedShop(configuration).run(logger: logger)
        return 0
    }

    /// The options of the command line.
    static func options(_ invocation: Invocation) throws -> StorefrontOptions {
        var options = StorefrontOptions()
        if let text = invocation[option: "port"] {
            guard let port = Int(text), 0...65_535 ~= port else { throw UsageError("--port is a port, not \(text)") }
            options.port = port
        }
        if let text = invocation[option: "order-lifetime"] {
            guard let seconds = Int64(text), 1...86_400 ~= seconds else {
                throw UsageError("--order-lifetime is a number of seconds from 1 to 86400, not \(text)")
            }
            options.orderLifetime = .seconds(seconds)
        }
        if let pages = invocation[option: "pages"] {
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: pages, isDirectory: &isFolder), isFolder.boolValue else {
                throw UsageError("--pages: \(pages) is no folder")
            }
            options.pages = URL(filePath: pages)
        }
        options.bootstrapServers = invocation[option: "bootstrap-servers"]
        if let run = invocation[option: "run"] { options.run = URL(filePath: run) }
        return options
    }
}
