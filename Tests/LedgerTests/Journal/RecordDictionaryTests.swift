import CZstd
import Contracts
import Foundation
import OrchardCrypto
import TestSupport
import Testing

@testable import Ledger

@Suite("The dictionary of records")
struct RecordDictionaryTests {
    @Test("is for ever the one that rows were packed with")
    func same() throws {
        if ProcessInfo.processInfo.environment["ORCHARD_RECORD"] == "dictionary" { try Self.record() }
        #expect(
            Hex.encode(SHA256.hash(Array(RecordDictionary.v1Text.utf8)))
                == "32fa57f31fd89075a290d3445055053f654e3212c9fada4ba581f90a58ed005c")
    }

    /// What most rows are, the usual ones last.
    private static let usual = [
        "capture.succeeded", "payment.authorised", "order.repriced", "payment.declined", "payment.unknown",
        "refund.accepted", "refund.succeeded", "settlement.recorded", "order.closed", "order.opened",
        "payment.accepted", "payment.succeeded",
    ].map { "orchard.\($0).v1" }

    /// Writes the dictionary if there is none: some records, and how often their letters are used in many more.
    private static func record() throws {
        guard RecordDictionary.v1Text.isEmpty else { return }
        let day = try GoldenJournal.day().filter { ReadRecord($0).isFact }
        func type(_ record: JournalRecord) -> String? {
            record.headers.first { $0.name == "ce_type" }.map { String(decoding: $0.value, as: UTF8.self) }
        }
        let content = usual.compactMap { name in day.last { type($0) == name } }.flatMap { Sample($0, 0).content }
        let samples = (1...40).flatMap { round in day.map { Sample($0, UInt64(round)).content } }
        var bytes = [UInt8](repeating: 0, count: content.count + 4_096)
        let parameters = ZDICT_params_t(compressionLevel: 1, notificationLevel: 0, dictID: 32_769)
        let size = ZDICT_finalizeDictionary(
            &bytes, bytes.count, content, content.count, samples.flatMap(\.self), samples.map(\.count),
            UInt32(samples.count), parameters)
        try #require(ZDICT_isError(size) == 0)
        let text = Array(Base64.encode(Array(bytes[..<size])).utf8)
        let lines = stride(from: 0, to: text.count, by: 110).map {
            "        \(String(decoding: text[$0..<min($0 + 110, text.count)], as: UTF8.self))\\\n"
        }
        let source = """
            extension RecordDictionary {
                /// Base64 of zstd's form of a dictionary, written by `Tests/record dictionary`: never edit it by hand.
                static let v1Text = \"""
            \(lines.joined().dropLast(2))
                    \"""
            }

            """
        try source.write(
            to: Checkout.root.appending(path: "Services/OrderLedger/Ledger/Journal/RecordDictionary+V1.swift"),
            atomically: true, encoding: .utf8)
    }

    /// A record of the day with other names, times and numbers.
    private struct Sample {
        let content: [UInt8]

        /// - Parameter round: 0 leaves out what differs from record to record.
        init(_ record: JournalRecord, _ round: UInt64) {
            var headers = record.headers
            if let index = headers.firstIndex(where: { $0.name == "ce_subject" }) {
                headers.insert(
                    .init(name: "ce_causationid", value: Array(String(repeating: "a", count: 32).utf8)), at: index + 1)
            }
            let trace = "00-\(String(repeating: "b", count: 32))-\(String(repeating: "c", count: 16))-01"
            if round.isMultiple(of: 2) { headers.append(.init(name: "traceparent", value: Array(trace.utf8))) }
            content =
                JournalRecord(
                    position: record.position, key: record.key.map { Self.other($0, round) },
                    headers: headers.map { .init(name: $0.name, value: Self.other($0.value, round)) },
                    value: Self.other(record.value, round)
                ).content
        }

        /// Replaces names of 16 hex digits and more, and long numbers; the time gets a fraction.
        private static func other(_ text: [UInt8], _ round: UInt64) -> [UInt8] {
            var text = String(decoding: text, as: UTF8.self)
            text.replace(/[0-9a-f]{15,}/) { word in
                if round == 0 { return String(repeating: "0", count: word.count) }
                let hash = SHA256.hash(Array("\(word.output) \(round)".utf8))
                let digits = word.output.allSatisfy(\.isNumber) ? hash.map { "\($0 % 10)" }.joined() : Hex.encode(hash)
                return String(digits.prefix(word.count))
            }
            text.replace(/20[0-9-]{8}T[0-9:]{8}Z/) { time in
                let shift = Int(round * 7_919) % 1_000_000
                let fraction = String(repeating: "0", count: 6 - "\(shift)".count) + "\(shift)"
                return
                    "2026-1\(round % 3)-\(10 + round % 20)T1\(round % 10):\(10 + round % 50):\(10 + round % 49).\(fraction)Z"
            }
            return Array(text.utf8)
        }
    }
}
