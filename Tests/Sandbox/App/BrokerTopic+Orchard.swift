import Contracts
import SandboxBroker

extension BrokerTopic {
    /// Orchard's topics, each with as many partitions as the broker gives a topic by default.
    static let ofOrchard = Topic.all.map { BrokerTopic(name: $0.name, partitions: 4) }
}
