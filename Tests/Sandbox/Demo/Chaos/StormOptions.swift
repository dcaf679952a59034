import OrchardJSON

/// What goes wrong in a storm, beside the kills of services that chaos brings.
public struct StormOptions: Sendable {
    /// A shell command that ends the processes of a real Kafka and starts them again; nil freezes the embedded broker.
    public var brokerRestart: String? {
        // A real one needs longer until its groups work again.
        didSet { if brokerRestart != nil { pause = .seconds(20) } }
    }
    /// The seed of the acquirer's faults.
    public var seed: UInt64 = 1
    /// How long nothing fails between two failures of broker or database.
    public var pause = Duration.seconds(10)
    /// How long a service runs before it is killed again.
    public var life = Duration.seconds(3)
    /// How long the embedded broker is frozen.
    public var freeze = Duration.seconds(4)

    public init() {}

    /// The acquirer's faults and their probabilities: each loses or spoils a request, an answer or a notification, and
    /// none changes what the acquirer decides.
    static let faults: [String: String] = [
        "lost_answer": "0.02", "lost_request": "0.02", "http500_answer": "0.01", "html_answer": "0.005",
        "empty_answer": "0.005", "badsig_answer": "0.005", "cut_answer": "0.005", "http502_not_booked": "0.01",
        "no_notification": "0.03", "notify_five": "0.02", "notify_first": "0.02", "notify_says60": "0.01",
        "silent_paid": "0.02", "query_broken": "0.01", "pending_05": "0.01", "answer_06": "0.01",
    ]

    /// The body of `POST /_control/storm`.
    var acquirerStorm: JSONValue {
        func table(_ chances: [String: String]) -> JSONValue {
            .object(chances.sorted { $0.key < $1.key }.map { JSONMember($0.key, .number($0.value)) })
        }
        return [
            "seed": .integer(Int64(seed % 1_000_000_007)), "txnTypes": ["01", "02", "03", "04", "31", "32", "33"],
            "faults": table(Self.faults), "query": table(["http500": "0.02", "drop": "0.02", "37": "0.01"]),
            "latency_ms": ["p50": 20, "p99": 300],
        ]
    }
}
