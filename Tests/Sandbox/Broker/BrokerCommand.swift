/// A fault, or its end, for a running broker; one line of text each.
public enum BrokerCommand: Hashable, Sendable, CustomStringConvertible {
    /// Break all connections and refuse new ones.
    case down
    /// Accept connections again.
    case up
    /// Take one of several brokers, numbered from 1, off the network.
    case stop(broker: Int32)
    /// Answer each request this many milliseconds later.
    case delay(milliseconds: Int32)
    /// Fail the next requests of this Kafka API key (0 produce, 1 fetch, 8 offset commit …) with this error code.
    case fail(request: Int16, error: Int32, count: Int)
    /// Create a topic.
    case topic(BrokerTopic)

    /// Reads `down`, `up`, `stop N`, `delay MS`, `fail API ERROR COUNT` or `topic NAME:PARTITIONS`.
    public init(_ line: String) throws(BrokerError) {
        let parts = line.split(separator: " ")
        let numbers = parts.dropFirst().compactMap { Int($0) }
        switch (parts.first, numbers.count) {
        case ("down", 0): self = .down
        case ("up", 0): self = .up
        case ("stop", 1): self = .stop(broker: Int32(clamping: numbers[0]))
        case ("delay", 1): self = .delay(milliseconds: Int32(clamping: numbers[0]))
        case ("fail", 3):
            self = .fail(
                request: Int16(clamping: numbers[0]), error: Int32(clamping: numbers[1]), count: max(0, numbers[2]))
        case ("topic", _) where parts.count == 2:
            guard let topic = try BrokerTopic.list(String(parts[1])).first else { fallthrough }
            self = .topic(topic)
        default:
            throw BrokerError(
                "`\(line)` is no command: down, up, stop N, delay MS, fail API ERROR COUNT, topic NAME:PARTITIONS")
        }
    }

    public var description: String {
        switch self {
        case .down: "down"
        case .up: "up"
        case .stop(let broker): "stop \(broker)"
        case .delay(let milliseconds): "delay \(milliseconds)"
        case .fail(let request, let error, let count): "fail \(request) \(error) \(count)"
        case .topic(let topic): "topic \(topic.name):\(topic.partitions)"
        }
    }
}
