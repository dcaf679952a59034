import Contracts

/// The times and limits by which charges are sent, asked about and given up.
public struct ChargingPolicy: Hashable, Sendable {
    /// When to ask the acquirer for the outcome, counted from the last send; rising.
    ///
    /// UnionPay allows 1 to 32 s in doubling steps; the first comes at 3 s, beside a request that still hangs.
    public var querySchedule: [Duration] =
        [3, 5, 9, 17, 33, 65, 300, 1_800, 7_200].map { .seconds($0) }
    /// How often to ask when the schedule has run out, until an outcome is known.
    public var queryInterval: Duration = .seconds(7_200)
    /// The least time between two queries, however many notifications make one due.
    public var minimumQueryGap: Duration = .seconds(1)
    /// How long after the send an outcome may be missing before the payment is told to be unknown: before a device's
    /// longest wait of 25 s ends.
    public var unknownAfter: Duration = .seconds(20)
    /// How far a transaction's time may lie from the acquirer's clock when it arrives there.
    public var acquirerTolerance: Duration = .seconds(15 * 60)
    /// How far the clocks of two database servers may differ.
    public var clockDifference: Duration = .seconds(30)
    /// The wait before the next try when surely nothing was sent; the last one repeats.
    public var notSentBackOff: [Duration] = [1, 2, 4, 8, 15].map { .seconds($0) }
    /// The wait before a send is repeated under the same key; the last one repeats.
    public var resendBackOff: [Duration] = [0, 5, 15, 30].map { .seconds($0) }
    /// How long after its intent a send may begin, and so how long a query that finds nothing says nothing of it.
    ///
    /// Longer than the connector's time to connect: a send that surely did not leave is known before it is repeated. A
    /// process that died between intent and send costs its charge this wait; to repeat at once would repeat every send
    /// that an acquirer is slow to show, and from then on no synchronous answer to it could prove failure.
    public var sendInProgress: Duration = .seconds(8)
    /// The most sends of one operation that may have reached the acquirer.
    public var maximumSends = 5
    /// Acquirers that take no number of ours for a transaction. Nothing is sent to them a second time (rule 3).
    public var acquirersWithoutKey: Set<String> = []
    /// Acquirers whose answers do not name the order that they charged, or that compare no numbers. They get no token that
    /// Apple did not bind to its order.
    public var acquirersNamingNoOrder: Set<String> = []
    /// Since when our own record surely has no gap: the start of the database's server, or the last recovery of its
    /// partitions when that is later. A snapshot of its disks comes back with such a start only, a standby is promoted
    /// without one; what was sent before may be missing from either.
    public var recordSince = Timestamp(microseconds: 0)
    /// How long after the end of an attempt's time an acquirer may need to show what was sent in its last moment.
    public var showDelay: Duration = .seconds(60)
    /// How often to ask for an attempt of which nothing was sent by our own record, until the acquirer answers.
    public var unsentQueryInterval: Duration = .seconds(300)
    /// The wait between the queries for one such attempt and the next: there may be hundreds.
    public var unsentQueryGap: Duration = .seconds(5)
    /// How often to look for a sealing key that is not here yet.
    public var sealingKeyWait: Duration = .seconds(5)
    /// How long an authorisation holds its amount (UnionPay: 30 days, then it lapses).
    public var holdLife: Duration = .seconds(30 * 86_400)
    /// The most that one capture may take, in per cent of the hold (UnionPay: 115).
    public var capturePercent: Int64 = 115
    /// How long the acquirer gives money back (UnionPay: 11 months).
    public var refundLife: Duration = .seconds(335 * 86_400)
    /// When the acquirer's days end. What was taken can be voided until then.
    public var calendar = SettlementCalendar.unionPay
    /// What an acquirer cannot do, by its name.
    public var unsupported: [String: Set<OperationKind>] = [:]

    public init() {}

    /// The first time after `time` at which to ask about what was sent at `sentAt`.
    ///
    /// Points that were missed are left out: a gateway that was down for an hour asks once.
    func query(after time: Timestamp, sentAt: Timestamp) -> Timestamp {
        for offset in querySchedule where sentAt + offset > time { return sentAt + offset }
        let last = sentAt + (querySchedule.last ?? .zero)
        let interval = max(queryInterval.wholeMicroseconds, 1)
        let passed = (time.microseconds - last.microseconds) / interval
        return Timestamp(microseconds: last.microseconds + (passed + 1) * interval)
    }

    /// When the acquirer's day of `time` ends. That moment is the next day's.
    func dayEnd(of time: Timestamp) -> Timestamp { calendar.end(of: calendar.day(of: time)) }

    /// Whether the acquirer of this key does operations of a kind.
    func supports(_ kind: OperationKind, at reference: AcquirerReference) -> Bool {
        unsupported[reference.acquirer]?.contains(kind) != true
    }

    /// The most sends of an operation under this key that may have reached the acquirer.
    func maximumSends(under reference: AcquirerReference?) -> Int {
        reference.map { acquirersWithoutKey.contains($0.acquirer) } == true ? 1 : maximumSends
    }

    /// When to look again after the `count`th wait of its kind.
    static func backOff(_ waits: [Duration], _ count: Int) -> Duration {
        waits.isEmpty ? .zero : waits[min(max(count, 1), waits.count) - 1]
    }
}
