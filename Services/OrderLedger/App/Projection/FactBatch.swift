import Contracts
import Ledger

/// Consecutive records of one partition that are to be folded.
struct FactBatch: Sendable {
    let partition: Int32
    let records: [ReadRecord]
    /// The reading position before the records.
    let start: Int64

    /// A batch's rows and what they tell, before anything is written.
    struct Folded: Sendable {
        /// The watermark before it.
        let start: Int64
        /// The book after it.
        let book: PartitionBook
        /// The orders before and after it.
        let orders: [OrderChange]
        let rows: [JournalRow]
        /// The records that were not in the database.
        let fresh: [ReadRecord]
        let duplicates: Int
        /// What shops are told.
        let messages: [WebhookWriter.Placed]
    }

    /// Folds what is not in the database into its partition's book; pure.
    ///
    /// - Returns: nil when another owner of the partition, or a commit whose answer was lost, has done all of it.
    func fold(into book: PartitionBook, webhooks: WebhookWriter) -> Folded? {
        let start = book.nextOffset
        let fresh = records.filter { $0.position.offset >= start }
        guard !fresh.isEmpty else { return nil }
        var book = book
        let known = book.fold.orders
        let duplicatesBefore = book.duplicates
        var messages: [WebhookWriter.Placed] = []
        let rows = fresh.compactMap { read -> JournalRow? in
            let order = read.fact?.fact.order
            let parked = order.flatMap { book.fold.state(of: $0) }?.parked ?? []
            guard let row = book.append(read) else { return nil }
            messages += webhooks.messages(
                of: row, read, parked: parked, order: order.flatMap { book.fold.state(of: $0) })
            return row
        }
        let duplicates = Int(book.duplicates - duplicatesBefore)
        precondition(rows.count + duplicates == fresh.count, "rows written = events read − known duplicates")
        return Folded(
            start: start, book: book,
            orders: book.fold.orders.values.map { OrderChange(partition: partition, from: known[$0.id], to: $0) },
            rows: rows, fresh: fresh, duplicates: duplicates, messages: messages)
    }
}
