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
    /// What stands before the names of topics and groups at a real Kafka; a name of the run's own when nil.
    public var kafkaNamespace: String?
    /// A folder with `ca.crt` and, for `admin` and each service, `USER.crt` and `USER.key`: everybody speaks TLS then and
    /// says by a certificate who it is.
    public var kafkaCertificates: URL?
    /// A folder of independent simulators in Python, which take the place of wallet and acquirer.
    public var oracles: URL?
    /// How many processes charge-gateway and order-ledger have.
    public var processes = 2
    /// How many token-ingest has; nil for as many.
    public var ingests: Int?
    /// Of each topic.
    public var partitions: Int32 = 6
    /// Whether the database waits for the disk.
    public var isDurable = false
    /// Where the built programs are; nil for beside this one.
    public var programs: URL?
    /// Where runs keep their files.
    public var run = URL(filePath: ".run")

    public init() {}
}
