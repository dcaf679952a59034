import Foundation

/// What the demo was asked to do.
public struct DemoOptions: Sendable {
    /// How many orders the day has.
    public var orders = 220
    /// Draws the day.
    public var seed: UInt64 = 1
    /// Ends by itself; otherwise everything keeps running until Ctrl-C.
    public var isOnce = false
    /// Kills services while they work.
    public var isChaos = false
    /// A real Kafka instead of the embedded broker.
    public var bootstrapServers: String?
    /// A folder of independent simulators in Python, which take the place of wallet and acquirer.
    public var oracles: URL?
    /// Where runs keep their files.
    public var run = URL(filePath: ".run")

    public init() {}
}
