import Contracts
import KafkaBridge
import OrchardJSON
import OrchardServiceKit

/// The commands `dlq list` and `dlq show`, the same in every service. Each service has its own `replay`.
public enum DeadLetterCommand {
    /// The command `dlq`.
    ///
    /// - Parameters:
    ///   - program: the program's name.
    ///   - topic: the topic whose records became dead letters.
    ///   - replay: the service's own `replay`; takes places as arguments.
    public static func dlq(
        _ program: String, of topic: Topic, replay: OrchardServiceKit.Command
    ) -> OrchardServiceKit.Command {
        Command(
            name: "dlq", summary: "list, show and replay records that were set aside",
            subcommands: [list(program, topic), show(program, topic), replay])
    }

    private static func list(_ program: String, _ topic: Topic) -> OrchardServiceKit.Command {
        Command(
            name: "list", summary: "list the records that were set aside",
            discussion: """
                Reads \(topic.deadLetters.name): the place of each record in \(topic.name) (P3@41 is offset 41 of partition
                3), when it was reported, a code, and the reason. Kafka keeps dead letters for 30 days.
                """,
            configuration: ConfigReader.keys { KafkaConfiguration(reader: $0, clientID: program) },
            examples: [.init("\(program) dlq list --kafka-bootstrap-servers kafka-1:9092", "after an alarm")]
        ) { invocation in
            let (kafka, _) = try invocation.configuration { KafkaConfiguration(reader: $0, clientID: program) }
            let entries = try await DeadLetterTopic(of: topic, kafka).entries()
            for entry in entries {
                print("\(entry.letter.at)  \(entry.time)  \(entry.letter.code)  \(entry.letter.reason)")
            }
            if entries.isEmpty { print("nothing was set aside") }
            return 0
        }
    }

    private static func show(_ program: String, _ topic: Topic) -> OrchardServiceKit.Command {
        Command(
            name: "show", summary: "show what was set aside at a place, and whether the record is there still",
            discussion: "Shows a record's headers and size, never its content: it may hold sealed card data.",
            arguments: [.init("PLACE", help: "Where the record is, as `dlq list` prints it: P3@41.")],
            configuration: ConfigReader.keys { KafkaConfiguration(reader: $0, clientID: program) },
            examples: [.init("\(program) dlq show P3@41 --kafka-bootstrap-servers kafka-1:9092", "one record")]
        ) { invocation in
            let place = try DeadLetterPlace(invocation.arguments.first ?? "")
            let (kafka, _) = try invocation.configuration { KafkaConfiguration(reader: $0, clientID: program) }
            let letters = try DeadLetterTopic(of: topic, kafka)
            let entries = try await letters.entries().filter { $0.letter.at == place }
            for entry in entries {
                print("set aside  \(entry.time)  \(entry.letter.code)  \(entry.letter.reason)")
                if let other = entry.letter.foundAt { print("found at   P\(place.partition)@\(other)") }
            }
            if entries.isEmpty { print("nothing was set aside at \(place)") }
            for line in try await letters.original(place).lines(entries.first?.letter.content) { print(line) }
            return entries.isEmpty ? 1 : 0
        }
    }

    /// Which records a command line names.
    public enum Choice: Hashable, Sendable {
        case places([DeadLetterPlace])
        /// `--all`: every one among the dead letters.
        case all

        public init(_ invocation: Invocation) throws(UsageError) {
            let text = invocation.arguments
            switch (invocation.has("all"), text.isEmpty) {
            case (true, true): self = .all
            case (true, false): throw UsageError("name a PLACE or give --all, not both")
            case (false, true): throw UsageError("name a PLACE, or give --all")
            case (false, false):
                self = .places(try text.map { text throws(UsageError) in try DeadLetterPlace(text) })
            }
        }

        /// The places, each once.
        public func places(among letters: DeadLetterTopic) async throws -> [DeadLetterPlace] {
            switch self {
            case .places(let places): return places
            case .all:
                var seen: Set<DeadLetterPlace> = []
                return try await letters.entries().map(\.letter.at).filter { seen.insert($0).inserted }
            }
        }
    }
}

extension DeadLetterTopic.Original {
    /// What an operator may see of a record.
    fileprivate func lines(_ content: DeadLetter.Content?) -> [String] {
        switch self {
        case .gone: return ["the record    \(text)"]
        case .there(let record):
            let names = ["ce_type", "ce_subject", "ce_time", "ce_source", "traceparent"]
            let headers = names.compactMap { name in
                record.header(name).map {
                    "\(name)\(String(repeating: " ", count: 14 - name.count))\(OutsideText.printable($0, upTo: 200))"
                }
            }
            let isSame = content.map { DeadLetter(record, code: "", reason: "").content == $0 }
            return ["the record    is there: \(record.value.count) bytes, written \(record.written)"]
                + (isSame == false ? ["              it is another one than was set aside"] : []) + headers
        }
    }
}
