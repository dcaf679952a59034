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
    ///   - settings: those of the topics that were asked for.
    ///   - names: how the topics are called in the cluster, and by the tools that mend a problem.
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
    /// - Throws: ``KafkaError`` when the cluster cannot be asked at all.
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
