import SandboxWallet

/// The options of `sandbox load`.
public struct LoadOptions: Sendable {
    /// The wallet of all devices.
    public var wallet: Wallet
    /// The payment of each device; the order's id is added.
    public var payment: MintRequest
    /// The key of the shop's server.
    public var apiKey: String
    /// Base addresses of the workers of order-ledger.
    public var ledgers: [String]
    /// Base addresses of the workers of token-ingest.
    public var ingests: [String]
    /// Customers a second; nil plays at full speed.
    public var rate: Double?
    /// How many customers come; nil when only the time or Ctrl-C ends the load.
    public var payments: Int?
    /// How long customers come.
    public var time: Duration?
    /// The most customers at once.
    public var customers: Int?
    /// How long a device waits for its outcome.
    public var wait = Duration.seconds(60)
    /// PEM file of the authorities that are trusted, instead of the system's.
    public var caFile: String?

    public init(wallet: Wallet, payment: MintRequest, apiKey: String, ledgers: [String], ingests: [String]) {
        self.wallet = wallet
        self.payment = payment
        self.apiKey = apiKey
        self.ledgers = ledgers
        self.ingests = ingests
    }

    /// The most customers at once: at full speed this many are always active; with a rate the limit protects this
    /// machine.
    var maximumCustomers: Int { customers ?? (rate == nil ? 32 : 2_000) }
}
