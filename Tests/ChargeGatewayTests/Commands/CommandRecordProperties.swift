import Contracts
import KafkaBridge
import OrchardPostgres
import Outbox

#if canImport(ChargeGateway)
    @testable import ChargeGateway
#endif

/// What holds for any bytes on the commands' topic: they are read without an end of the process, and whatever goes to a
/// row of them can be sent to PostgreSQL.
enum CommandRecordProperties {
    /// - Parameter bytes: the key's line, the headers' lines, an empty line, the value.
    /// - Returns: what does not hold.
    static func violation(_ bytes: [UInt8]) -> String? {
        let command = IncomingCommand(record(bytes))
        let letter = DeadLetter(command.record, code: "refused", reason: reason(of: command.reading))
        let time = Timestamp(seconds: 1_700_000_000)
        do throws(PostgresError) {
            try Outbox(schema: "gateway", stream: "charge-gateway").insertion(of: [
                letter.row(source: EventSource.chargeGateway.rawValue, key: command.record.key, at: time)
            ])
            .checkParameters()
            try PostgresStatement("", columns(of: command)).checkParameters()
        } catch {
            return "\(error)"
        }
        return nil
    }

    private static func reason(of reading: CommandReading) -> String {
        switch reading {
        case .unreadable(let reason), .newer(let reason), .unreadableCharge(_, _, _, let reason): reason
        default: ""
        }
    }

    /// What a row keeps of a command beside what its verified ticket says.
    private static func columns(of command: IncomingCommand) -> [any PostgresEncodable] {
        var columns: [any PostgresEncodable] = [
            command.order?.description, command.payment?.description, command.traceparent,
        ]
        if case .charge(let charge) = command.reading {
            let card = SealedCard(charge)
            columns += [
                charge.signedAt.postgres, charge.card.network.rawValue, charge.card.lastFour, card.jwe, card.keyID,
                card.ticketHash,
            ]
        }
        return columns
    }

    private static func record(_ bytes: [UInt8]) -> KafkaRecord {
        var head = bytes[...]
        var value: ArraySlice<UInt8> = []
        if let end = bytes.indices.dropLast().first(where: { bytes[$0] == 0x0a && bytes[$0 + 1] == 0x0a }) {
            head = bytes[..<end]
            value = bytes[(end + 2)...]
        }
        let lines = head.split(separator: 0x0a, omittingEmptySubsequences: false)
        let headers = lines.dropFirst().map { line in
            let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
            return KafkaHeader(String(decoding: line[..<colon], as: UTF8.self), Array(line[colon...].dropFirst(2)))
        }
        return KafkaRecord(
            topicPartition: TopicPartition(Topic.charges.name, 0), offset: 7, timestamp: 0,
            key: lines.first.flatMap { $0.isEmpty ? nil : Array($0) }, value: Array(value), headers: headers)
    }
}
