import Contracts
import Foundation
import Ledger
import LedgerFixtures

/// A journal stored in a file: the records byte for byte, and what the versions that made its rows must always give for
/// them.
struct GoldenJournal: Codable, Equatable {
    /// Bytes: `text:…` where they are plain text, else `hex:…`.
    struct Bytes: Codable, Equatable {
        let bytes: [UInt8]

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        init(from decoder: any Decoder) throws {
            let word = try decoder.singleValueContainer().decode(String.self)
            if word.hasPrefix("text:") {
                bytes = Array(word.dropFirst(5).utf8)
            } else {
                let digits = Array(word.dropFirst(4))
                bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
                    UInt8(String(digits[$0...$0 + 1]), radix: 16)
                }
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            let isPlain = bytes.allSatisfy { (0x20...0x7E).contains($0) }
            let hex = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            try container.encode(isPlain ? "text:" + String(decoding: bytes, as: UTF8.self) : "hex:" + hex)
        }
    }

    struct Header: Codable, Equatable {
        let name: String
        let value: Bytes
    }

    struct Record: Codable, Equatable {
        let offset: Int64
        let key: Bytes?
        let headers: [Header]
        let value: Bytes
    }

    /// The row that a record must become; a known duplicate has no row.
    struct Row: Codable, Equatable {
        let offset: Int64
        let disposition: String
        let faults: [String]
        let hash: Bytes
    }

    struct Line: Codable, Equatable {
        let currency: String
        let account: String
        let minorUnits: Int64
    }

    let reader: Int16
    let rules: Int16
    let layout: Int16
    let partition: Int32
    let records: [Record]
    let rows: [Row]
    let head: Bytes
    let trialBalance: [Line]

    var versions: RowVersions { RowVersions(reader: reader, rules: rules, layout: layout) }

    /// The result of some code for records.
    init(_ records: [JournalRecord], partition: Int32, by code: VersionedCode) {
        var book = PartitionBook(partition: partition)
        let rows = records.compactMap { book.append(ReadRecord($0, by: code)) }
        var sums = BookSums()
        for entry in rows.flatMap(\.entries) { sums.add(entry) }
        (reader, rules, layout) = (code.versions.reader, code.versions.rules, code.versions.layout)
        self.partition = partition
        self.records = records.map { record in
            Record(
                offset: record.position.offset, key: record.key.map { Bytes($0) },
                headers: record.headers.map { Header(name: $0.name, value: Bytes($0.value)) },
                value: Bytes(record.value))
        }
        self.rows = rows.map { row in
            Row(
                offset: row.record.position.offset, disposition: row.disposition.rawValue,
                faults: row.faults.map { "\($0.source.offset) \($0.subject.rawValue) \($0.code)" },
                hash: Bytes(row.hash))
        }
        head = Bytes(book.chain.head)
        trialBalance = (sums.trialBalance?.lines ?? []).map {
            Line(currency: $0.currency.code, account: $0.account, minorUnits: $0.amount)
        }
    }

    /// The records, to be folded again.
    var journal: [JournalRecord] {
        records.map { record in
            JournalRecord(
                position: JournalPosition(partition: partition, offset: record.offset), key: record.key?.bytes,
                headers: record.headers.map { .init(name: $0.name, value: $0.value.bytes) }, value: record.value.bytes)
        }
    }
}

extension GoldenJournal {
    /// A day in one partition: every kind of fact and entry, early and late facts, duplicates, contradictions, invalid
    /// records.
    static func day() throws -> [JournalRecord] {
        let numbers = (UInt8(1)...255).filter {
            Partitioner.partition(of: Shop.orderID($0), among: Shop.partitions) == Shop.partition
        }
        var facts: [Fact] = []
        let yen = try Shop.totals(Currency("JPY") ?? .cny, subtotal: 1_200, discount: 0, shipping: 0, tax: 120)
        for (index, number) in numbers.prefix(9).enumerated() {
            let (history, payment) = (History(Shop.orderID(number)), Shop.paymentID(number))
            let (first, second) = (try Shop.totals(), try Shop.totals(shipping: 2_000))
            let opened = history.offer(1, index == 8 ? yen : first)
            func published(_ events: PaymentEvent..., revision: Int64 = 1, amount: Money? = nil) -> [Fact] {
                events.enumerated().map {
                    history.fact(
                        payment, transition: Int64($0 + 1), revision: revision, amount: amount ?? first.amount, $1)
                }
            }
            let story: [Fact] =
                switch index {
                case 0: [opened] + published(.accepted, .succeeded)
                case 1:
                    [opened, history.offer(2, second)]
                        + published(.accepted, .succeeded, revision: 2, amount: second.amount)
                case 2: [opened] + published(.accepted, .declined, .lateSuccess) + [history.closed(.expired)]
                case 3: published(.accepted, .unknown, .succeeded) + [opened, opened]
                case 4: [opened, history.closed(.cancelled), history.closed(.expired)] + published(.refused)
                case 5:
                    [opened] + published(.accepted, .succeeded) + [history.commandRejected(1)]
                        + [history.fact(Shop.paymentID(200), transition: 1, amount: first.amount, .succeeded)]
                case 6: [opened] + published(.accepted, .succeeded, amount: second.amount)
                case 7: [opened] + published(.accepted, .conflicted, .notCharged, .succeeded)
                default:
                    [opened] + published(.accepted, .succeeded, amount: yen.amount)
                        + published(.declined, amount: yen.amount)
                }
            facts += story
        }
        for (number, story) in zip(numbers[11...], try followUps()) {
            facts += story(History(Shop.orderID(number)), Shop.paymentID(number))
        }
        facts += settlement(
            of: History(Shop.orderID(numbers[0])), Shop.paymentID(numbers[0]), amount: try Shop.totals().amount)
        let last = History(Shop.orderID(numbers[10]))
        facts.append(last.fact(transition: 2, amount: try Shop.totals().amount, .succeeded))
        return numbered(facts)
    }

    /// Orders that were authorised, captured, voided, refunded and finalised, also such that the gateway would not have.
    private static func followUps() throws -> [(History, PaymentID) -> [Fact]] {
        let (offer, final) = (try Shop.totals(), try Shop.totals(subtotal: 3_333, discount: 0, tax: 7))
        let (amount, third, odd) = (
            offer.amount, Money(minorUnits: 3_633, currency: .cny), Money(minorUnits: 777, currency: .cny)
        )
        return [
            { history, payment in
                [history.offer(1, offer)] + history.payment(payment, amount: amount, .accepted, .unknown, .authorised)
                    + [history.finalised(2, final)]
                    + history.followUps(
                        .capture, 1, of: payment, amount: final.amount, parts: final, .accepted, .unknown, .succeeded)
                    + history.followUps(.refund, 2, of: payment, amount: odd, .accepted, .failed)
                    + history.followUps(.refund, 3, of: payment, amount: odd, .accepted, .succeeded)
                    + history.followUps(
                        .refund, 4, of: payment, amount: third, .accepted, .conflicted, .resolvedNotDone)
            },
            { history, payment in
                history.payment(payment, amount: amount, .accepted, .authorised)
                    + history.followUps(
                        .capture, 1, of: payment, amount: Money(minorUnits: 12_000, currency: .cny), .accepted,
                        .succeeded)
                    + [history.offer(1, offer)]
                    + history.followUps(
                        .void, 2, of: payment, target: .capture, amount: Money(minorUnits: 12_000, currency: .cny),
                        .accepted, .succeeded)
                    + [history.fact(payment, transition: 3, amount: amount, .authorisationExpired)]
            },
            { history, payment in
                [history.offer(1, offer)] + history.payment(payment, amount: amount, .accepted, .succeeded)
                    + history.followUps(.refund, 1, of: payment, amount: third, .accepted, .succeeded)
                    + history.followUps(.refund, 2, of: payment, amount: third, .accepted, .succeeded)
                    + history.followUps(.refund, 3, of: payment, amount: third, .accepted, .unknown, .resolvedDone)
                    + history.followUps(.refund, 3, of: payment, amount: third, .accepted, .unknown)
                    + history.followUps(.capture, 4, of: payment, amount: odd, .accepted)
            },
            { history, payment in
                [history.offer(1, offer)] + history.payment(payment, amount: amount, .accepted, .succeeded)
                    + history.followUps(
                        .void, 1, of: payment, target: .sale, amount: amount, .accepted, .failed, .succeeded)
            },
            { history, payment in
                [history.offer(1, offer)] + history.payment(payment, amount: amount, .accepted, .declined, .lateSuccess)
                    + history.followUps(.refund, nil, of: payment, amount: amount, .accepted, .succeeded)
                    + history.payment(
                        PaymentID(after: payment), amount: amount, .accepted, .declined, .lateAuthorised)
                    + history.followUps(
                        .void, nil, of: PaymentID(after: payment), target: .authorisation, amount: amount, .accepted,
                        .succeeded)
            },
            { history, payment in
                [history.offer(1, offer)] + history.payment(payment, amount: odd, .accepted, .authorised)
                    + history.payment(PaymentID(after: payment), amount: amount, .accepted, .authorised)
                    + history.followUps(.capture, 1, of: payment, amount: odd, .accepted, .succeeded)
                    + [history.closed(.cancelled)]
            },
        ]
    }

    /// The facts as their producers' outboxes publish them, with gaps in the offsets, and invalid records at the end.
    private static func numbered(_ facts: [Fact]) -> [JournalRecord] {
        var sequences: [String: Int64] = [:]
        var records: [JournalRecord] = []
        for (index, fact) in facts.enumerated() {
            let stream = fact.source.stream
            sequences[stream, default: 0] += 1
            let plain = CloudEvent(
                fact, source: "/" + stream, time: Timestamp(seconds: 1_700_000_000 + Int64(index)))
            let event = CloudEvent(
                id: plain.id, type: plain.type, source: plain.source, time: plain.time, subject: plain.subject,
                stream: .init(stream: stream, sequence: sequences[stream, default: 0]), data: plain.data)
            records.append(
                JournalRecord(
                    position: JournalPosition(partition: Shop.partition, offset: Int64(index + index / 5)),
                    key: event.key, headers: event.headers.map { .init(name: $0.name, value: Array($0.value.utf8)) },
                    value: event.data))
        }
        let end = Int64(facts.count * 2)
        let cut = records[1]
        let junk = [
            JournalRecord(
                position: JournalPosition(partition: Shop.partition, offset: end), key: nil,
                headers: [.init(name: "x", value: [0xFF, 0])], value: [0, 0xC3, 0x28]),
            JournalRecord(
                position: JournalPosition(partition: Shop.partition, offset: end + 1), key: cut.key,
                headers: cut.headers, value: Array(cut.value.dropLast())),
        ]
        return records + junk
    }
}

extension PaymentID {
    /// Another payment of the order whose first payment is `first`.
    fileprivate init(after first: PaymentID) {
        self.init(hash: first.bytes.map { ~$0 } + first.bytes)
    }
}
