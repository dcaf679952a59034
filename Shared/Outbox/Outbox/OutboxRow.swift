import Contracts

/// A record that waits in the database to be published.
public struct OutboxRow: Sendable {
    /// The number of the partition, the same in every topic.
    public let partition: Int32
    /// The topic's name.
    public let topic: String
    /// Unique in the partition: a second row with the same id is an error.
    public let eventID: String
    /// Kafka's key: the order id.
    public let key: [UInt8]
    /// Headers except those of the stream, which the relay adds. One line each: no line breaks.
    public let headers: [(name: String, value: String)]
    /// Kafka's value.
    public let value: [UInt8]

    public init(
        partition: Int32, topic: String, eventID: String, key: [UInt8], headers: [(name: String, value: String)],
        value: [UInt8]
    ) {
        precondition(partition >= 0, "partitions count from 0")
        precondition(
            headers.allSatisfy { name, value in
                !name.utf8.contains(Self.colon) && !name.utf8.contains(Self.lineFeed)
                    && !value.utf8.contains(Self.lineFeed)
            }, "headers are single lines")
        self.partition = partition
        self.topic = topic
        self.eventID = eventID
        self.key = key
        self.headers = headers
        self.value = value
    }

    /// A fact or command.
    public init(_ event: CloudEvent, topic: Topic, partition: Int32) {
        precondition(event.stream == nil, "the relay gives the number")
        self.init(
            partition: partition, topic: topic.name, eventID: event.id.description, key: event.key,
            headers: event.headers, value: event.data)
    }

    /// The headers as the table keeps them: one `name: value` on each line.
    var headerLines: String { headers.map { "\($0.name): \($0.value)" }.joined(separator: "\n") }

    /// Byte by byte: comparing characters costs ten times as much, and a relay reads every event.
    static func headers(fromLines lines: String) -> [(name: String, value: String)] {
        lines.utf8.split(separator: lineFeed).compactMap { line in
            guard let colon = line.firstIndex(of: colon) else { return nil }
            return (String(Substring(line[..<colon])), String(Substring(line[colon...].dropFirst(2))))
        }
    }

    private static let colon = UInt8(ascii: ":")
    private static let lineFeed = UInt8(ascii: "\n")
}
