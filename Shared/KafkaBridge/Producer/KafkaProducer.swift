import CRDKafka
import OrchardServiceKit

/// Sends messages and returns when all in-sync replicas hold them.
///
/// Idempotent, `acks=all`: during the lifetime of this producer a resend by the library neither doubles nor reorders.
/// One thread and one librdkafka client each; use one a process. While the brokers do not answer, senders wait, up to
/// the delivery timeout. Cancelling a sender's task does not unsend: it still returns when the outcome is known or
/// ``giveUp()`` was called.
public actor KafkaProducer: Service {
    /// Whether each message is tried for ever, so that none overtakes another: ``Options/keepingOrder``.
    public nonisolated let keepsOrder: Bool
    private let executor: ThreadExecutor
    private let handle: ClientHandle
    private let logger: Logger
    private let signal = QueueSignal()
    private let report: @Sendable (Bool, String) -> Void
    private var contact: BrokerContact
    private let delivered: Counter
    private let failed: Counter
    private var inFlight = 0
    private var waitingForRoom: [CheckedContinuation<Void, Never>] = []
    private var fatalError: KafkaError?
    private var isClosed = false

    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// The first reason that `report` gets: nothing has failed yet.
    public static let firstReason = "no broker has answered yet"

    /// - Parameter report: called at each change: whether brokers can be reached, and why not; for a readiness probe.
    /// - Throws: ``KafkaError/Code-swift.struct/invalidConfiguration``; never because a broker is down.
    public init(
        _ configuration: KafkaConfiguration, options: Options = Options(), logger: Logger,
        metrics: MetricsRegistry = MetricsRegistry(),
        report: @escaping @Sendable (_ isReachable: Bool, _ reason: String) -> Void = { _, _ in }
    ) throws(KafkaError) {
        keepsOrder = options.deliveryTimeout == nil
        executor = ThreadExecutor(name: "kafka-producer")
        do {
            handle = try ClientHandle(
                .producer, configuration, settings: options.settings, events: RD_KAFKA_EVENT_DR, logger: logger)
        } catch {
            executor.finish {}
            throw error
        }
        self.logger = logger
        self.report = report
        delivered = metrics.counter(
            "kafka_producer_messages", help: "Messages by outcome.", labels: [("outcome", "delivered")])
        failed = metrics.counter(
            "kafka_producer_messages", help: "Messages by outcome.", labels: [("outcome", "failed")])
        contact = BrokerContact(configuration.bootstrapServers, logger: logger)
        report(false, contact.reason)
        let executor = executor
        handle.notify { [weak self] in
            executor.perform { [weak self] in self?.assumeIsolated { $0.drain() } }
        }
        executor.tick(every: .seconds(1)) { [weak self] in self?.assumeIsolated { $0.tick() } }
    }

    deinit {
        executor.finish { [handle] in handle.destroy() }
    }

    /// Sends one message.
    ///
    /// - Throws: ``KafkaError``; ``KafkaError/Code-swift.struct/deliveryTimedOut`` means that the outcome is unknown.
    public func send(_ message: KafkaMessage) async throws(KafkaError) -> Delivery {
        try await send(contentsOf: [message])[0]
    }

    /// Sends a batch and waits once for all of it; messages of one partition are written in their order.
    ///
    /// - Throws: the first message's error. Others of the batch may have been delivered: send them again, readers know
    ///   duplicates by their `ce_id`; or use ``deliver(_:)``.
    public func send(contentsOf messages: [KafkaMessage]) async throws(KafkaError) -> [Delivery] {
        var deliveries: [Delivery] = []
        deliveries.reserveCapacity(messages.count)
        for result in await deliver(messages) { deliveries.append(try result.get()) }
        return deliveries
    }

    /// Sends a batch and returns each message's outcome, in order.
    public func deliver(_ messages: [KafkaMessage]) async -> [Result<Delivery, KafkaError>] {
        guard !isClosed else {
            let error = KafkaError(.closed, "the producer was closed")
            return messages.map { _ in .failure(fatalError ?? error) }
        }
        guard !messages.isEmpty else { return [] }
        let ticket = DeliveryTicket(count: messages.count)
        inFlight += messages.count
        for (index, message) in messages.enumerated() {
            var error = handle.produce(message, ticket.opaque(index))
            while error == RD_KAFKA_RESP_ERR__QUEUE_FULL, !isClosed {
                await room()
                error = handle.produce(message, ticket.opaque(index))
            }
            if error != RD_KAFKA_RESP_ERR_NO_ERROR { ticket.refuse(index, error) }
        }
        await ticket.wait(isolation: self)
        inFlight -= messages.count
        if inFlight == 0 { signal.signal() }
        return zip(messages, ticket.outcomes).map { message, slot in
            guard slot.error == RD_KAFKA_RESP_ERR_NO_ERROR else { return .failure(failure(slot.error, message)) }
            return .success(
                Delivery(topicPartition: TopicPartition(message.topic, slot.partition), offset: slot.offset))
        }
    }

    /// Waits for the graceful shutdown, then waits for what is in flight and closes.
    ///
    /// - Throws: a fatal ``KafkaError``, after which only a new producer can send.
    public func run() async throws {
        let stop = StopRequest(signal)
        await stop.during {
            while !stop.isRequested, fatalError == nil { await signal.wait() }
            let deadline = ContinuousClock.now + .seconds(10)
            while inFlight > 0, fatalError == nil, !stop.isImmediate, ContinuousClock.now < deadline {
                await signal.wait()
            }
        }
        isClosed = true
        if inFlight > 0 { logger.warning("closed with messages in flight", ["count": "\(inFlight)"]) }
        giveUp()
        if let fatalError { throw fatalError }
    }

    /// Ends the wait for messages that are not acknowledged yet: their senders get the outcome "unknown".
    public func giveUp() { handle.purge() }

    // MARK: On the producer's thread

    /// Waits for a delivery report: only that makes room.
    private func room() async {
        await withCheckedContinuation { waitingForRoom.append($0) }
    }

    /// Serves the queue until it is empty: librdkafka reports only the change from empty to not empty.
    private func drain() {
        while let event = handle.poll() {
            switch event.type {
            case RD_KAFKA_EVENT_DR: settle(event)
            case RD_KAFKA_EVENT_ERROR: receive(error: event)
            case RD_KAFKA_EVENT_LOG: event.log(to: logger)
            default: break
            }
        }
    }

    private func settle(_ event: borrowing KafkaEvent) {
        var isUnanswered = false
        while let message = event.nextMessage() {
            let error = KafkaError.Code(rawValue: message.pointee.err.rawValue)
            if error == .noError { reached() }
            isUnanswered = isUnanswered || BrokerContact.codes.contains(error)
            (error == .noError ? delivered : failed).increment()
            DeliveryTicket.report(message.pointee)
        }
        if isUnanswered { checkBrokers() }
        let waiting = waitingForRoom
        waitingForRoom = []
        for continuation in waiting { continuation.resume() }
    }

    private func receive(error event: borrowing KafkaEvent) {
        let code = KafkaError.Code(rawValue: event.error.rawValue)
        if code == .fatal {
            fatalError = KafkaError(.fatal, event.errorText, isFatal: true)
            logger.critical("the producer cannot go on", ["reason": event.errorText])
            signal.signal()
        } else if code == .allBrokersDown {
            checkBrokers()
        } else {
            logger.log(code.severity, "Kafka: \(event.errorText)", metadata: ["code": "\(code)"])
        }
    }

    private func tick() {
        if contact.shouldProbe(at: .now), handle.isReachable(milliseconds: 300) { reached() }
        signal.signal()
    }

    private func reached() { if contact.reached() { report(true, contact.reason) } }

    /// The messages of a broker that does not answer wait; Kafka counts as lost when no other broker answers either.
    private func checkBrokers() {
        guard contact.isReachable != false, !handle.isReachable(milliseconds: 300) else { return }
        if contact.lostAll() { report(false, contact.reason) }
    }

    private func failure(_ error: rd_kafka_resp_err_t, _ message: KafkaMessage) -> KafkaError {
        KafkaError(error, "sending to \(handle.names.outer(message.topic))/\(message.partition)")
    }
}
