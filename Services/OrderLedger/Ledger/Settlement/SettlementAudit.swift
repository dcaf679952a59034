import Contracts

/// Proves while the rows of a partition are read that the entries book what the files' rows say, and collects for each
/// settled day what its rows and its file add up to.
public struct SettlementAudit: Hashable, Sendable {
    private struct Day: Hashable {
        var rows = SettlementSums()
        var file: SettlementSums?
        /// When the file was told.
        var fileTime: Timestamp?
    }

    /// What the facts in the books say that acquirers and banks moved, and what the stored entries post of it.
    private(set) var facts: [Currency: Int64] = [:]
    private(set) var posted: [Currency: Int64] = [:]
    public private(set) var rows: Int64 = 0
    public private(set) var files: Int64 = 0
    /// How many facts move money, and how many entries book such facts.
    private(set) var moving: Int64 = 0
    private(set) var entries: Int64 = 0
    private var days: [SettlementDay: Day] = [:]
    /// Facts that wait for others; they are in no entry.
    private var waiting: [JournalPosition: JournalEvent] = [:]

    public init() {}

    /// What was found in all partitions: a day's rows are in each of them.
    public init(joining parts: [Self]) { for part in parts { add(part) } }

    /// The days whose file is in the books, and when it was told.
    public var fileTimes: [SettlementDay: Timestamp] { days.compactMapValues(\.fileTime) }

    /// Adds a row: what its record says, as it was folded again, and the entries as they are stored.
    mutating func add(_ expected: JournalRow, _ event: JournalEvent?, stored: [Entry]) {
        if let event, event.fact.settlementDay != nil {
            switch expected.disposition {
            case .applied: add(event.fact, at: event.event.time)
            case .parked: waiting[event.position] = event
            case .refused, .unreadable: break
            }
        }
        release(expected)
        for entry in stored where entry.kind.isSettlement {
            entries += 1
            let moved = entry.postings.filter { $0.account == .bankReceivable }.reduce(0) { $0 &+ $1.amount }
            posted[entry.currency, default: 0] &+= moved
        }
    }

    /// Counts facts that had waited, when the entry that they make is folded. One that is refused then counts nothing.
    private mutating func release(_ expected: JournalRow) {
        guard !waiting.isEmpty else { return }
        for fault in expected.faults { waiting[fault.source] = nil }
        for entry in expected.entries where entry.kind.isSettlement {
            guard let (position, event) = waiting.first(where: { $0.value.id == entry.cause }) else { continue }
            waiting[position] = nil
            add(event.fact, at: event.event.time)
        }
    }

    private mutating func add(_ fact: Fact, at time: Timestamp) {
        switch fact {
        case .settlementRecorded(let row):
            rows += 1
            days[row.day, default: Day()].rows.add(row)
            move(row.net, row.amount.currency, isZero: row.net == 0 && row.fee == 0)
        case .disputeOpened(let dispute): move(dispute.net, dispute.amount.currency, isZero: dispute.net == 0)
        case .payOutReceived(let payOut): move(0 &- payOut.amount.minorUnits, payOut.amount.currency, isZero: false)
        case .settlementFileRecorded(let file):
            files += 1
            days[file.day, default: Day()].file = SettlementSums(file)
            days[file.day, default: Day()].fileTime = time
        default: break
        }
    }

    private mutating func move(_ amount: Int64, _ currency: Currency, isZero: Bool) {
        if !isZero { moving += 1 }
        facts[currency, default: 0] &+= amount
    }

    private mutating func add(_ other: Self) {
        facts.merge(other.facts) { $0 &+ $1 }
        posted.merge(other.posted) { $0 &+ $1 }
        rows += other.rows
        files += other.files
        moving += other.moving
        entries += other.entries
        for (name, day) in other.days {
            days[name, default: Day()].rows.add(day.rows)
            guard let file = day.file else { continue }
            days[name, default: Day()].file = file
            days[name, default: Day()].fileTime = day.fileTime
        }
    }

    /// The lines of the audit: rows in entries = rows in facts, and the files' sums = their rows' sums.
    public var checks: [AuditCheck] {
        var wrong: [AuditCheck.Finding] = []
        if moving != entries {
            wrong.append(.init("\(moving) facts of acquirers and banks moved money, \(entries) entries book such"))
        }
        for currency in Set(facts.keys).union(posted.keys).sorted(by: { $0.code < $1.code })
        where facts[currency, default: 0] != posted[currency, default: 0] {
            wrong.append(
                .init(
                    "the facts move \(Money(minorUnits: facts[currency, default: 0], currency: currency)) to the bank's "
                        + "receivable, the entries \(Money(minorUnits: posted[currency, default: 0], currency: currency))"
                ))
        }
        let unequal = days.filter { $0.value.file != nil && $0.value.file != $0.value.rows }
            .sorted { ($0.key.date, $0.key.account) < ($1.key.date, $1.key.account) }
        return [
            AuditCheck(
                "X1", "OUTSIDE", "entries = facts of acquirers and banks",
                counts: "\(rows) rows of files, \(entries) entries = \(moving) facts", findings: wrong),
            AuditCheck(
                "X2", "OUTSIDE", "settlement files = their rows",
                counts: "\(files) files, \(rows) rows, \(unequal.count) files differ",
                findings: unequal.map { day, sums in
                    .init(
                        "\(day.date) \(day.acquirer) \(day.account): the file states \(sums.file?.count ?? 0) rows, net "
                            + "\(sums.file?.net ?? 0), the books have \(sums.rows.count), net \(sums.rows.net)")
                }, severity: .warned),
        ]
    }
}

extension EntryKind {
    /// Whether it books what acquirer or bank tell.
    var isSettlement: Bool {
        switch self {
        case .settlement, .unallocatedSettlement, .dispute, .payOut: true
        default: false
        }
    }
}
