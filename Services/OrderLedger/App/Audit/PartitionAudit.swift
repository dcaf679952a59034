import Ledger

/// What an audit found in one partition.
struct PartitionAudit: Sendable {
    let start: AuditStart.Partition
    private(set) var chain: ChainAudit
    /// All lines of entries, as they are stored.
    private(set) var lines = BookSums()
    /// Entries and faults whose row is missing.
    private(set) var orphans: FindingList
    private(set) var orders: OrderComparison
    /// How many card numbers the columns of the journal tables may hold.
    private(set) var cardNumbers: [String: CardNumberCounts] = [:]

    init(_ start: AuditStart.Partition, key: OrderSums.Key, capacity: Int) {
        self.start = start
        chain = ChainAudit(partition: start.number, key: key, capacity: capacity)
        orphans = start.orphans
        orders = OrderComparison(partition: start.number)
    }

    /// Reads the partition's rows a page at a time up to the start of the audit, then compares its orders.
    mutating func run(_ reader: LedgerReader) async throws {
        let number = start.number
        var page = try await Self.page(.min...start.last, of: number, reader)
        while let current = page {
            // The server reads the next page while this one is checked.
            async let next = Self.page(current.rest, of: number, reader)
            let records = chain.read(current.rows)
            let needs = chain.needs(records, of: current.rows)
            let earlier = try await reader.facts(number, of: needs, below: records.first?.position.offset ?? 0)
            chain.add(current.rows, records: records, earlier: earlier)
            lines.add(current.lines)
            orphans.append(current.orphans)
            cardNumbers.merge(current.cardNumbers) { $0.adding($1) }
            page = try await next
        }
        chain.close()
        try await orders.compare(chain.refold, start, reader)
    }

    private static func page(
        _ offsets: ClosedRange<Int64>?, of partition: Int32, _ reader: LedgerReader
    ) async throws -> LedgerReader.Page? {
        guard let offsets else { return nil }
        return try await reader.page(partition, offsets, scan: true)
    }
}
