public import Foundation

/// The options of the shop.
public struct StorefrontOptions: Sendable {
    /// The port of the shop's pages; 0 takes a free one.
    public var port = 8080
    /// A folder of pages that is read at each request, instead of those in the program.
    public var pages: URL?
    /// How long an order may be paid.
    public var orderLifetime = Duration.seconds(1_800)
    /// A real Kafka instead of the embedded broker.
    public var bootstrapServers: String?
    /// The folder of the built programs; nil for the folder of this one.
    public var programs: URL?
    /// The folder for the files of runs.
    public var run = URL(filePath: ".run")

    public init() {}

    /// What is started for a shop: one process of each service.
    func demo(_ web: WebShop) -> DemoOptions {
        var options = DemoOptions()
        options.processes = 1
        options.partitions = 4
        options.bootstrapServers = bootstrapServers
        options.programs = programs
        options.run = run
        options.web = web
        return options
    }
}
