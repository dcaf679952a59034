import Ledger

/// What an audit found in one partition.
struct PartitionAudit: Sendable {
    let start: AuditStart.Partition
    private(set) var chain: ChainAudit
    /// All lines of entries, as they are stored.
    private(set) var lines = BookSums()
    /// Entries and faults whose row is missing.
    private(set) var orphans: FindingList
    private(set) var orders = OrderComparison()

    init(_ start: AuditStart.Partition, key: OrderSums.Key, capacity: Int) {
        self.start = start
        chain = ChainAudit(partition: start.number, key: key, capacity: capacity)
        orphans = start.orphans
    }

    /// Reads the partition's rows a page at a time up to the start of the audit, then compares its orders.
    mutating func run(_ reader: LedgerReader) async throws {
        var offsets: ClosedRange<Int64>? = .min...start.last
        while let range = offsets {
            let page = try await reader.page(start.number, range)
            let records = chain.read(page.rows)
            let needs = chain.needs(records, of: page.rows)
            let earlier = try await reader.facts(
                start.number, of: needs, below: records.first?.position.offset ?? 0)
            chain.add(page.rows, records: records, earlier: earlier)
            lines.add(page.lines)
            orphans.append(page.orphans)
            offsets = page.rest
        }
        chain.close()
        try await orders.compare(chain.refold, start, reader)
    }
}
