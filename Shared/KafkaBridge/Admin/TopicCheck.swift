import OrchardServiceKit

/// Compares topics with what they must be; each service does so before it starts, `order-ledger topics` for people.
public struct TopicCheck: Sendable {
    /// What must be there.
    public let topics: [TopicSpecification]

    public init(_ topics: [TopicSpecification]) { self.topics = topics }

    /// A topic's settings, or why they are not known.
    typealias Settings = Result<[String: String], KafkaError>

    /// Every problem at once, in the order of the topics.
    ///
    /// - Parameters:
    ///   - partitions: how many each existing topic has.
    ///   - settings: the settings of these topics.
    ///   - names: the topics' names in the cluster.
    func problems(
        partitions: [String: Int32], settings: [String: Settings], names: Namespace = Namespace("")
    ) -> [TopicProblem] {
        topics.flatMap { topic -> [TopicProblem] in
            let name = names.outer(topic.name)
            guard let count = partitions[topic.name] else { return [.missing(topic: name)] }
            var problems: [TopicProblem] = []
            // More is well: an order stays in the partition that its ticket's number of partitions gives.
            if count < topic.partitions {
                problems.append(.fewerPartitions(topic: name, found: count, wanted: topic.partitions))
            }
            switch settings[topic.name] {
            case nil: break
            case .failure(let error):
                problems.append(.unknownSettings(topic: name, reason: error.reason))
            case .success(let found):
                for (key, wanted) in topic.settings.sorted(by: { $0.key < $1.key }) where found[key] != wanted {
                    problems.append(
                        .setting(topic: name, name: key, found: found[key] ?? "nothing", wanted: wanted))
                }
            }
            return problems
        }
    }

    /// Asks the cluster and compares.
    ///
    /// - Throws: ``KafkaError`` when the cluster does not answer.
    public func problems(on admin: KafkaAdmin) async throws(KafkaError) -> [TopicProblem] {
        let partitions = try await admin.partitionCounts()
        var settings: [String: Settings] = [:]
        // A cluster that does not answer for one topic (the embedded broker never does) is not waited for again.
        var failure: KafkaError?
        for topic in topics where partitions[topic.name] != nil && !topic.settings.isEmpty {
            if let failure {
                settings[topic.name] = .failure(failure)
                continue
            }
            do throws(KafkaError) {
                settings[topic.name] = .success(try await admin.describeConfig(topic.name))
            } catch {
                failure = error
                settings[topic.name] = .failure(error)
            }
        }
        return problems(partitions: partitions, settings: settings, names: admin.names)
    }

    /// Creates what is missing; what exists is left as it is.
    ///
    /// - Returns: the names of the new topics.
    public func create(on admin: KafkaAdmin) async throws(KafkaError) -> [String] {
        let partitions = try await admin.partitionCounts()
        let missing = topics.filter { partitions[$0.name] == nil }
        return try await admin.createTopics(missing)
    }
}

/// What a topic is to be.
public struct TopicSpecification: Hashable, Sendable {
    /// The topic's name.
    public var name: String
    /// The number of partitions.
    public var partitions: Int32
    /// Copies of each partition; −1 leaves it to the broker's `default.replication.factor`.
    public var replicationFactor: Int32
    /// Topic settings such as `retention.ms`, as Kafka names them.
    public var settings: [String: String]

    public init(name: String, partitions: Int32, replicationFactor: Int32 = -1, settings: [String: String] = [:]) {
        self.name = name
        self.partitions = partitions
        self.replicationFactor = replicationFactor
        self.settings = settings
    }
}

/// A way in which a topic is not what it must be; the topic by its name in the cluster, with the namespace.
public enum TopicProblem: Hashable, Sendable, CustomStringConvertible {
    case missing(topic: String)
    case fewerPartitions(topic: String, found: Int32, wanted: Int32)
    case setting(topic: String, name: String, found: String, wanted: String)
    /// The broker does not return the topic's settings.
    case unknownSettings(topic: String, reason: String)

    /// Whether a service must not start. An operator checks unknown settings.
    public var preventsStart: Bool {
        if case .unknownSettings = self { return false }
        return true
    }

    /// What is wrong and what to do.
    public var description: String {
        switch self {
        case .missing(let topic):
            "\(topic) does not exist: run `order-ledger topics create`"
        case .fewerPartitions(let topic, let found, let wanted):
            "\(topic) has \(found) partitions and needs \(wanted): add them with `kafka-topics --alter --topic \(topic) "
                + "--partitions \(wanted)`, or lower kafka.partitions everywhere"
        case .setting(let topic, let name, let found, let wanted):
            "\(topic) has \(name)=\(found) and needs \(wanted): `kafka-configs --alter --entity-type topics "
                + "--entity-name \(topic) --add-config \(name)=\(wanted)`"
        case .unknownSettings(let topic, let reason):
            "the settings of \(topic) are not known: \(reason)"
        }
    }
}
