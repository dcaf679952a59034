import CRDKafka

/// One request of librdkafka's admin interface and its answer on a queue of its own.
struct AdminRequest {
    private let handle: ClientHandle
    private let milliseconds: Int32

    init(_ handle: ClientHandle, milliseconds: Int32) {
        self.handle = handle
        self.milliseconds = milliseconds
    }

    func createTopics(_ topics: [TopicSpecification]) throws(KafkaError) -> [String] {
        var requests: [OpaquePointer?] = []
        defer { for request in requests { rd_kafka_NewTopic_destroy(request) } }
        var words = [CChar](repeating: 0, count: 512)
        for topic in topics {
            guard
                let request = rd_kafka_NewTopic_new(
                    handle.names.outer(topic.name), topic.partitions, topic.replicationFactor, &words, words.count)
            else { throw KafkaError(.invalidConfiguration, "\(topic.name): \(String(nullTerminated: words))") }
            requests.append(request)
            for (name, value) in topic.settings.sorted(by: { $0.key < $1.key }) {
                rd_kafka_NewTopic_set_config(request, name, value)
            }
        }
        let event = try answer("creating topics", RD_KAFKA_ADMIN_OP_CREATETOPICS) { options, queue in
            rd_kafka_CreateTopics(handle.client, &requests, requests.count, options, queue)
        }
        var count = 0
        let results = rd_kafka_CreateTopics_result_topics(
            rd_kafka_event_CreateTopics_result(event.pointer), &count)
        return try succeeded(UnsafeBufferPointer(start: results, count: count), tolerating: .topicExists)
    }

    func deleteTopics(_ topics: [String]) throws(KafkaError) {
        var requests = topics.map { rd_kafka_DeleteTopic_new(handle.names.outer($0)) }
        defer { for request in requests { rd_kafka_DeleteTopic_destroy(request) } }
        let event = try answer("deleting topics", RD_KAFKA_ADMIN_OP_DELETETOPICS) { options, queue in
            rd_kafka_DeleteTopics(handle.client, &requests, requests.count, options, queue)
        }
        var count = 0
        let results = rd_kafka_DeleteTopics_result_topics(
            rd_kafka_event_DeleteTopics_result(event.pointer), &count)
        _ = try succeeded(UnsafeBufferPointer(start: results, count: count), tolerating: .unknownTopicOrPartition)
    }

    /// The topics that a request changed; throws every problem but the tolerated one.
    private func succeeded(
        _ results: UnsafeBufferPointer<OpaquePointer?>, tolerating tolerated: KafkaError.Code
    ) throws(KafkaError) -> [String] {
        var names: [String] = []
        var problems: [String] = []
        for result in results {
            let name = String(cString: rd_kafka_topic_result_name(result))
            switch KafkaError.Code(rawValue: rd_kafka_topic_result_error(result).rawValue) {
            case .noError: names.append(handle.names.inner(name) ?? name)
            case tolerated: break
            default:
                let text = rd_kafka_topic_result_error_string(result).map { String(cString: $0) } ?? ""
                problems.append("\(name): \(text)")
            }
        }
        guard problems.isEmpty else { throw KafkaError(.topicsNotReady, problems.joined(separator: "; ")) }
        return names
    }

    func describeConfig(_ topic: String) throws(KafkaError) -> [String: String] {
        var request: OpaquePointer? = rd_kafka_ConfigResource_new(
            RD_KAFKA_RESOURCE_TOPIC, handle.names.outer(topic))
        defer { rd_kafka_ConfigResource_destroy(request) }
        let event = try answer("describing \(topic)", RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS) { options, queue in
            rd_kafka_DescribeConfigs(handle.client, &request, 1, options, queue)
        }
        var count = 0
        let resources = rd_kafka_DescribeConfigs_result_resources(
            rd_kafka_event_DescribeConfigs_result(event.pointer), &count)
        guard count == 1, let resource = resources?[0] else {
            throw KafkaError(.timedOut, "describing \(topic): no answer", isTransient: true)
        }
        let error = rd_kafka_ConfigResource_error(resource)
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR else { throw KafkaError(error, "describing \(topic)") }
        let entries = rd_kafka_ConfigResource_configs(resource, &count)
        var settings: [String: String] = [:]
        for entry in UnsafeBufferPointer(start: entries, count: count) {
            guard let name = rd_kafka_ConfigEntry_name(entry), let value = rd_kafka_ConfigEntry_value(entry) else {
                continue
            }
            settings[String(cString: name)] = String(cString: value)
        }
        return settings
    }

    private func answer(
        _ context: String, _ operation: rd_kafka_admin_op_t, _ send: (OpaquePointer?, OpaquePointer?) -> Void
    ) throws(KafkaError) -> KafkaEvent {
        let options = rd_kafka_AdminOptions_new(handle.client, operation)
        let queue = rd_kafka_queue_new(handle.client)
        defer {
            rd_kafka_AdminOptions_destroy(options)
            rd_kafka_queue_destroy(queue)
        }
        var words = [CChar](repeating: 0, count: 512)
        _ = rd_kafka_AdminOptions_set_request_timeout(options, milliseconds, &words, words.count)
        send(options, queue)
        guard let pointer = rd_kafka_queue_poll(queue, milliseconds + 1000) else {
            throw KafkaError(.timedOut, "\(context): no answer", isTransient: true)
        }
        let event = KafkaEvent(pointer)
        guard event.error == RD_KAFKA_RESP_ERR_NO_ERROR else {
            throw KafkaError(event.error, "\(context) (\(event.errorText))")
        }
        return event
    }
}
