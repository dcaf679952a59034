import Foundation
import LedgerFixtures
import Testing

@testable import Ledger

@Suite("Journals of each version always give the same result")
struct GoldenJournalTests {
    /// `Tests/LedgerTests/Golden`: a folder for each set of versions, written once by `Tests/record golden`.
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Golden")

    private static func files() throws -> [URL] {
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        return (files?.allObjects ?? []).compactMap { $0 as? URL }.filter { $0.pathExtension == "json" }
            .sorted { $0.path < $1.path }
    }

    private static func journals() throws -> [GoldenJournal] {
        try files().map { try JSONDecoder().decode(GoldenJournal.self, from: Data(contentsOf: $0)) }
    }

    @Test("Heads, dispositions and trial balance are the same as when they were written")
    func same() throws {
        if ProcessInfo.processInfo.environment["ORCHARD_RECORD"] == "golden" { try Self.record() }
        let journals = try Self.journals()
        #expect(!journals.isEmpty)
        for journal in journals {
            let code = try #require(VersionRegistry.known[journal.versions], "\(journal.versions) must stay known")
            #expect(GoldenJournal(journal.journal, partition: journal.partition, by: code) == journal)
        }
    }

    @Test("The audit of such rows finds nothing")
    func audit() throws {
        for journal in try Self.journals() {
            let code = try #require(VersionRegistry.known[journal.versions])
            var book = PartitionBook(partition: journal.partition)
            let rows = journal.journal.compactMap { book.append(ReadRecord($0, by: code)) }.map { StoredRow($0) }
            var audit = ChainAudit(partition: journal.partition, key: .fixed, capacity: 2)
            audit.add(rows, pages: 7)
            #expect(audit.differences.isEmpty && audit.brokenLinks.isEmpty, "\(audit.differences)")
            #expect(audit.head == journal.head.bytes)
        }
    }

    @Test("Every version that this program knows has its journal")
    func complete() throws {
        let kept = try Self.journals().map(\.versions)
        let newest = VersionRegistry.known.newest.versions
        #expect(Set(kept.map(\.reader)) == Set(1...newest.reader))
        #expect(Set(kept.map(\.rules)) == Set(1...newest.rules))
        #expect(Set(kept.map(\.layout)) == Set(1...newest.layout))
    }

    @Test("The day has every disposition, and every kind of entry")
    func story() throws {
        let journal = GoldenJournal(
            try GoldenJournal.day(), partition: Shop.partition, by: VersionRegistry.known.newest)
        #expect(Set(journal.rows.map(\.disposition)) == Set(JournalRow.Disposition.allCases.map(\.rawValue)))
        var book = PartitionBook(partition: Shop.partition)
        let kinds = Set(try GoldenJournal.day().compactMap { book.append($0) }.flatMap(\.entries).map(\.kind))
        #expect(kinds == Set(EntryKind.allCases))
        #expect(book.duplicates > 0)
    }

    /// Writes the day with the newest versions, unless a journal of them exists.
    private static func record() throws {
        let newest = VersionRegistry.known.newest
        guard try !journals().contains(where: { $0.versions == newest.versions }) else { return }
        let next = folder.appending(path: "v\(try files().count + 1)")
        try FileManager.default.createDirectory(at: next, withIntermediateDirectories: true)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let journal = GoldenJournal(try GoldenJournal.day(), partition: Shop.partition, by: newest)
        try (encoder.encode(journal) + [0x0A]).write(to: next.appending(path: "day.json"))
    }
}
