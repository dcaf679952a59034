/// The settings of the simulated acquirer; the names follow the independent acquirer's `serve`.
public struct SimulatorOptions: Sendable {
    /// 0 takes a free port.
    public var port = 0
    /// Multiplies the minutes between notifications, and ``lateNotification``.
    public var timeScale = 1.0
    /// The time from acceptance to result.
    public var processingTime = Duration.milliseconds(20)
    /// How long a slow answer takes; not scaled.
    public var slowAnswer = Duration.seconds(35)
    /// How long a late notification is held back; scaled.
    public var lateNotification = Duration.seconds(90)
    /// How long to wait for the merchant's acknowledgement of a notification; not scaled.
    public var notificationTimeout = Duration.seconds(10)
    /// Replaces scheme, host and port of every backUrl.
    public var notificationBase: String?
    /// Whether failures are notified: the sources contradict each other.
    public var notifiesFailures = true
    /// The most queries of one transaction within a minute; more are refused with 37.
    public var maximumQueries = 60
    /// UnionPay's fee in hundredths of a percent of an amount.
    public var feeBasisPoints: Int64 = 60
    /// Whether the amount chooses no behaviour: only what a test or a visitor asked for goes wrong.
    public var hasPlainAmounts = false

    public init() {}
}

extension Book {
    /// An empty book that follows the settings.
    init(_ options: SimulatorOptions) {
        self.init(maximumQueries: options.maximumQueries, hasPlainAmounts: options.hasPlainAmounts)
    }
}
