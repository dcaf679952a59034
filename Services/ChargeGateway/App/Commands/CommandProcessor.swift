import Charging
import Contracts
import KafkaBridge
import KeyFiles
import OrchardCrypto
import OrchardPostgres
import OrchardServiceKit
import Outbox

/// Processes batches of commands, fenced by their partitions' watermarks. Batches of several partitions that have gathered
/// share a transaction.
///
/// It creates operations, gives recovered charges their card data back, and closes orders. Where a slot is free, a new
/// operation gets the intent of its send at once; else its send is due now.
struct CommandProcessor: Sendable {
    let transactions: OrderTransactions
    let inbox: Inbox
    let ticketKeys: KeySetFile
    /// The current merchants: they change while the service runs.
    let merchants: @Sendable () -> MerchantRegistry
    /// nil in a command, which has no `/readyz`.
    let missingMerchants: MissingMerchants?
    /// nil in a command, which sends nothing.
    let requests: ImmediateRequests?
    let telemetry: ChargeTelemetry
    let logger: Logger
    // A full batch is as large as a group: it is performed at once, alone.
    let batches = InputGroups<Int32, CommandBatch, BatchResult>(
        GroupLimits(size: KafkaConsumer.Options().batchLimit))

    init(
        transactions: OrderTransactions, inbox: Inbox, ticketKeys: KeySetFile,
        merchants: @escaping @Sendable () -> MerchantRegistry,
        missingMerchants: MissingMerchants? = nil, requests: ImmediateRequests? = nil, telemetry: ChargeTelemetry,
        logger: Logger
    ) {
        self.transactions = transactions
        self.inbox = inbox
        self.ticketKeys = ticketKeys
        self.merchants = merchants
        self.missingMerchants = missingMerchants
        self.requests = requests
        self.telemetry = telemetry
        self.logger = logger
    }

    /// What a batch did.
    struct BatchResult: Sendable {
        var done: [(order: StoredOrder, actions: [Action])] = []
        /// When, by the database's clock.
        var time = Timestamp(seconds: 0)
        var rows: [OutboxRow] = []
        var accepted = 0
        var known = 0
        var deadLetters = 0
        var alarms: [Alarm] = []
        /// Requests to make when the batch is committed.
        var intents: [Intent] = []
        /// Tickets whose merchant is missing in merchants.json.
        var merchantless: [OrderTicket] = []
        /// Why records were set aside.
        var reasons: [String] = []
        /// Why the batch ends before its end.
        var wait: CommandWait?
    }

    /// Processes the records of a partition in their order. When it returns, they are committed, perhaps together with
    /// those of other partitions.
    ///
    /// - Parameter start: where reading stood before them; nil when that is the first record.
    /// - Throws: ``CommandWait`` for a record that must wait; those before it are committed.
    func process(_ records: [KafkaRecord], of partition: Int32, from start: Int64? = nil) async throws {
        guard let first = records.first else { return }
        let batch = CommandBatch(
            partition: partition, commands: records.map { IncomingCommand($0) }, start: start ?? first.offset)
        let result = try await batches.perform(batch, of: partition, size: records.count) {
            try await commit($0)
        }
        requests?.commit(result.intents)
        for (order, actions) in result.done { telemetry.record(actions, of: order, at: result.time) }
        for alarm in result.alarms { telemetry.raise(alarm) }
        for ticket in result.merchantless {
            missingMerchants?.record(ticket.merchant.description, until: ticket.expiresAt.seconds)
        }
        telemetry.commands(.taken, result.accepted)
        telemetry.commands(.known, result.known)
        telemetry.commands(.deadLetter, result.deadLetters)
        if let wait = result.wait { throw wait }
    }

    private func commit(_ batches: [CommandBatch]) async throws -> [BatchResult] {
        // Their intents hold slots before they are committed.
        let made = Locked<[BatchResult]>([])
        do {
            return try await transactions.withBatch(.group) { try await process(batches, $0, made) }
        } catch {
            let results = made.withLock { $0 }
            requests?.release(results.flatMap(\.intents))
            if (error as? PostgresError)?.code == .commitUnknown { for result in results { raiseAlarms(of: result) } }
            throw error
        }
    }

    /// Of a batch that may be committed: then its records are not processed again. Better twice than never.
    private func raiseAlarms(of result: BatchResult) {
        for alarm in result.alarms { telemetry.raise(alarm) }
        for case .alarm(let alarm) in result.done.flatMap(\.actions) { telemetry.raise(alarm) }
        telemetry.commands(.deadLetter, result.deadLetters)
    }

    private func process(
        _ batches: [CommandBatch], _ transaction: OrderBatch, _ made: Locked<[BatchResult]>
    ) async throws -> [BatchResult] {
        let places = batches.flatMap(\.places)
        guard Set(places.map(\.order)).count == places.count else { throw OrderInTwoPartitions() }
        var opened = try await transaction.open(
            Dictionary(uniqueKeysWithValues: batches.map { ($0.partition, $0.start) }), places,
            chargedBy: batches.flatMap { $0.commands.compactMap(\.payment) })
        var results: [BatchResult] = []
        var advances: [Inbox.Advance] = []
        for batch in batches {
            guard let watermark = opened.watermarks[batch.partition] else {
                preconditionFailure("each partition has its watermark")
            }
            let (result, advance) = process(batch, from: watermark, &opened)
            made.withLock { $0.append(result) }
            results.append(result)
            if let advance { advances.append(advance) }
        }
        guard !advances.isEmpty else { return results }
        // The rows are locked: nobody else can have moved a watermark.
        try await transaction.commit(
            opened.locked.orders.values.sorted { $0.machine.order < $1.machine.order }, results.flatMap(\.rows),
            with: [Write(inbox.advancing(advances), rows: advances.count)], at: opened.locked.time)
        return results
    }

    /// - Returns: what moves the watermark; nil when all was processed already, here or in another instance.
    private func process(
        _ batch: CommandBatch, from place: OrderBatch.Opened.Watermark, _ opened: inout OrderBatch.Opened
    ) -> (BatchResult, Inbox.Advance?) {
        var result = BatchResult()
        result.time = opened.locked.time
        var processed: [IncomingCommand] = []
        for command in batch.commands where command.record.offset >= place.next {
            do throws(CommandWait) {
                try process(
                    command, in: batch.partition, mayHaveBeenSent: command.record.offset < place.mark, &opened.locked,
                    &opened.charging, &result)
                processed.append(command)
            } catch {
                result.wait = error
                break
            }
        }
        guard let last = processed.last?.record else { return (result, nil) }
        let advance = Inbox.Advance(
            batch.partition, from: place.next, to: last.offset + 1, by: processed.count,
            last: LastRecord(offset: last.offset, value: last.value))
        return (result, advance)
    }

    func process(
        _ command: IncomingCommand, in partition: Int32, mayHaveBeenSent: Bool, _ locked: inout OrderStore.Locked,
        _ charging: inout [PaymentID: [OrderID]], _ result: inout BatchResult
    ) throws(CommandWait) {
        let decision: CommandDecision
        do throws(UnprocessableCommand) {
            decision = try decide(command, in: partition, at: locked.time)
            if let damage = locked.damaged[decision.order] { throw .damaged(decision, damage) }
            if mayHaveBeenSent, case .unreadableCharge(_, _, _, let reason) = command.reading,
                case .charge(let charge, _) = decision
            {
                throw .unreadable(charge, reason)
            }
        } catch {
            switch error {
            case .wait(let wait): throw wait
            case .deadLetter(let reason): return setAside(command, "refused", reason, at: locked.time, &result)
            case .setAside(let alarm, let ticket):
                // A copy of a charge that is known needs no route.
                guard alarm.charge.flatMap({ locked.orders[alarm.order]?.machine[$0] }) == nil else {
                    result.known += 1
                    return
                }
                result.alarms.append(alarm)
                if let ticket { result.merchantless.append(ticket) }
                return setAside(command, alarm.kind.rawValue, alarm.reason, at: locked.time, &result)
            }
        }
        let id = decision.order
        var order = locked.orders[id] ?? StoredOrder(order: id, partition: partition, policy: transactions.policy)
        var actions =
            switch decision {
            case .charge(let charge, let arrival):
                order.receive(
                    charge, isTokenUsed: charging[charge.payment, default: []].contains { $0 != id },
                    mayHaveBeenSent: mayHaveBeenSent, arrival, at: locked.time)
            case .close(let command): order.receive(.close(command), at: locked.time)
            case .followUp(let followUp):
                order.receive(
                    followUp, hasRoute: hasRoute(followUp, in: order), mayHaveBeenSent: mayHaveBeenSent,
                    traceparent: command.traceparent, at: locked.time)
            }
        guard !actions.isEmpty else {
            result.known += 1
            // Card data for an operation that the journal gave back without them, or an expiry that waits for a charge.
            if locked.orders[id] != nil, order.hasChanged { locked.orders[id] = order }
            return
        }
        result.accepted += 1
        if !decision.isClose, let requests {
            let (more, intent) = requests.make(&order, at: locked.time)
            actions += more
            if let intent { result.intents.append(intent) }
        }
        result.done.append((order, actions))
        result.rows += transactions.rows(actions, of: order, at: locked.time, to: command)
        if case .unreadableCharge(_, _, _, let reason) = command.reading {
            setAside(command, "unreadable", reason, at: locked.time, &result)
        }
        locked.orders[id] = order
        if case .charge(let charge, _) = decision, charge.reference != nil,
            order.machine[charge.operation]?.state.phase != .refused
        {
            charging[charge.payment, default: []].append(id)
        }
    }

    /// Whether the payment's route still leads where it did.
    private func hasRoute(_ command: FollowUpRequested, in order: StoredOrder) -> Bool {
        let charge = order.machine.operations.first { $0.subject.payment == command.payment }?.subject.charge
        guard let route = charge?.route else { return true }
        return merchants()[command.merchant]?.route(route) != nil
    }

    private func setAside(
        _ command: IncomingCommand, _ code: String, _ reason: String, at time: Timestamp, _ result: inout BatchResult
    ) {
        result.deadLetters += 1
        result.reasons.append(reason)
        let record = command.record
        result.rows.append(
            DeadLetter(record, code: code, reason: reason).row(
                source: OrderTransactions.source, key: record.key, at: time))
        logger.warning(
            "a command goes to the dead letters: \(reason)",
            ["partition": "\(record.topicPartition.partition)", "offset": "\(record.offset)"])
    }
}
