import Foundation

/// The options of the demo.
public struct DemoOptions: Sendable {
    /// How many orders the day has.
    public var orders = 220
    /// The seed of the day.
    public var seed: UInt64 = 1
    /// Whether it ends by itself; otherwise everything keeps running until Ctrl-C.
    public var isOnce = false
    /// Whether to kill services while they work.
    public var isChaos = false
    /// Whether more than services fail, all day long; only with ``isChaos``.
    public var storm: StormOptions?
    /// A real Kafka instead of the embedded broker.
    public var bootstrapServers: String?
    /// The prefix of the names of topics and groups at a real Kafka; nil for one made for the run.
    public var kafkaNamespace: String?
    /// A folder with `ca.crt` and, for `admin` and each service, `USER.crt` and `USER.key`. With it, every client uses
    /// TLS and authenticates by certificate.
    public var kafkaCertificates: URL?
    /// A folder of independent simulators in Python, which replace wallet and acquirer.
    public var oracles: URL?
    /// The number of processes of charge-gateway and of order-ledger.
    public var processes = 2
    /// The number of processes of token-ingest; nil for the same.
    public var ingests: Int?
    /// Whether each worker that reads from Kafka has a name of its own (`kafka.member`); a real Kafka only.
    public var areMembersNamed = false
    /// The number of partitions of each topic.
    public var partitions: Int32 = 6
    /// Whether the database waits for the disk.
    public var isDurable = false
    /// The folder of the built programs; nil for the folder of this one.
    public var programs: URL?
    /// What a shop on the web needs; nil for apps alone.
    var web: WebShop?
    /// The folder for the files of runs.
    public var run = URL(filePath: ".run")

    public init() {}
}
