import CRDKafka
import OrchardServiceKit

/// A librdkafka client and the one queue that all its events come through.
///
/// @unchecked: librdkafka's functions on a client and a queue may be called from any thread; the pointers never change.
/// `destroy()` is called once, by the owner, when no other call is possible.
final class ClientHandle: @unchecked Sendable {
    enum Kind { case producer, consumer, reader }

    let client: OpaquePointer
    let queue: OpaquePointer
    /// How topics and groups are called in the cluster.
    let names: Namespace
    private let addresses: String
    private let wakeUp = Locked<WakeUp?>(nil)
    /// Whether it leaves its group for good.
    let isClosing = Locked(false)

    /// Makes the client. It connects by itself, later, and again after each failure.
    ///
    /// - Parameters:
    ///   - settings: what the bridge sets; `extra` may override what is not reserved.
    ///   - events: which events beside errors and logs come through the queue.
    /// - Throws: ``KafkaError/Code-swift.struct/invalidConfiguration`` with every problem.
    init(
        _ kind: Kind, _ configuration: KafkaConfiguration, settings: [String: String], events: Int32,
        logger: Logger
    ) throws(KafkaError) {
        let reserved = configuration.extra.keys.filter { KafkaConfiguration.reserved.contains($0) }
        var problems = reserved.sorted().map { "\($0) is set by the bridge and may not be overridden" }
        var all = settings.merging(configuration.extra) { _, extra in extra }
        all["bootstrap.servers"] = configuration.bootstrapServers
        all["client.id"] = configuration.clientID
        all["log.queue"] = "true"
        let names = Namespace(configuration.namespace)
        if let group = all["group.id"] { all["group.id"] = names.outer(group) }
        if let problem = Namespace.problem(configuration.namespace) { problems.append("the namespace \(problem)") }
        if let problem = configuration.memberName.flatMap(MemberName.problem) {
            problems.append("the member's name \(problem)")
        }
        for warning in KafkaLibrary.warnings(version: KafkaLibrary.version, settings: all) { logger.warning(warning) }

        guard let conf = rd_kafka_conf_new() else { throw KafkaError(.fatal, "rd_kafka_conf_new failed") }
        var words = [CChar](repeating: 0, count: 512)
        for (name, value) in all.sorted(by: { $0.key < $1.key })
        where rd_kafka_conf_set(conf, name, value, &words, words.count) != RD_KAFKA_CONF_OK {
            // librdkafka's message repeats the value, which may be a password.
            problems.append(
                KafkaConfiguration.isSecret(name) ? "\(name) has an unusable value" : String(nullTerminated: words))
        }
        guard problems.isEmpty else {
            rd_kafka_conf_destroy(conf)
            throw KafkaError(.invalidConfiguration, problems.joined(separator: "; "))
        }
        rd_kafka_conf_set_events(conf, events | RD_KAFKA_EVENT_ERROR | RD_KAFKA_EVENT_LOG)
        guard
            let client = rd_kafka_new(
                kind == .producer ? RD_KAFKA_PRODUCER : RD_KAFKA_CONSUMER, conf, &words, words.count)
        else {
            rd_kafka_conf_destroy(conf)
            throw KafkaError(.invalidConfiguration, String(nullTerminated: words))
        }
        if kind == .consumer { rd_kafka_poll_set_consumer(client) }
        let source = kind == .consumer ? rd_kafka_queue_get_consumer(client) : rd_kafka_queue_get_main(client)
        guard let queue = source else {
            rd_kafka_destroy(client)
            throw KafkaError(.fatal, "the client has no event queue")
        }
        rd_kafka_set_log_queue(client, queue)
        self.client = client
        self.queue = queue
        self.names = names
        addresses = configuration.bootstrapServers
    }

    /// Calls `body` now, and on a thread of librdkafka whenever the queue is no longer empty; it must only signal.
    func notify(_ body: @escaping @Sendable () -> Void) {
        let wakeUp = WakeUp(body)
        self.wakeUp.withLock { $0 = wakeUp }
        rd_kafka_queue_cb_event_enable(
            queue, { _, opaque in opaque.map { Unmanaged<WakeUp>.fromOpaque($0).takeUnretainedValue().body() } },
            Unmanaged.passUnretained(wakeUp).toOpaque())
        body()
    }

    /// Frees the client; blocks while its threads end.
    func destroy() {
        rd_kafka_queue_cb_event_enable(queue, nil, nil)
        rd_kafka_queue_destroy(queue)
        // Leaving the group is the consumer's own close; here it would block without an answer to its rebalance.
        rd_kafka_destroy_flags(client, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE)
    }

    /// The next event, waiting up to `milliseconds`; `nil` when there is none.
    func poll(milliseconds: Int32 = 0) -> KafkaEvent? {
        guard let event = rd_kafka_queue_poll(queue, milliseconds) else { return nil }
        return KafkaEvent(event)
    }

    /// What the client cannot go on from, nil while there is nothing.
    var fatalError: KafkaError? {
        var words = [CChar](repeating: 0, count: 512)
        let error = rd_kafka_fatal_error(client, &words, words.count)
        guard error != RD_KAFKA_RESP_ERR_NO_ERROR else { return nil }
        return KafkaError(
            KafkaError.Code(rawValue: error.rawValue), String(nullTerminated: words), isFatal: true)
    }

    /// Serves the queue of a client that expects only errors and logs. Else it would fill the memory while the brokers
    /// do not answer. The other clients report the same.
    func drainLog(to logger: Logger) {
        while let event = poll() {
            if event.type == RD_KAFKA_EVENT_LOG { event.log(to: logger, atMost: .debug) }
        }
    }

    /// The error of a question that any broker could have answered.
    func unanswered(_ error: rd_kafka_resp_err_t, _ context: String) -> KafkaError {
        let known = KafkaError(error, context)
        guard BrokerContact.codes.contains(known.code) else { return known }
        return KafkaError(known.code, "\(context): no broker answers at \(addresses)", isTransient: true)
    }

    /// Whether a broker answers right now. Blocks for `milliseconds` at most.
    func isReachable(milliseconds: Int32) -> Bool {
        var metadata: UnsafePointer<rd_kafka_metadata>?
        let error = rd_kafka_metadata(client, 0, nil, &metadata, milliseconds)
        if let metadata { rd_kafka_metadata_destroy(metadata) }
        return error == RD_KAFKA_RESP_ERR_NO_ERROR
    }

    private final class WakeUp: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
}

extension String {
    init(nullTerminated bytes: [CChar]) {
        self.init(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
