/// Keeps matching sales waiting inside the acquirer until a test releases them, so that services can be stopped
/// meanwhile.
struct Hold: Sendable {
    enum Stage: String, Sendable {
        /// Before the book is read.
        case received
        /// Booked, but not answered.
        case booked
    }

    var stage: Stage
    var match: SaleMatch
    /// How many sales it still holds.
    var count: Int
}

/// The holds of a test and the sales that wait because of them.
struct HeldRequests: Sendable {
    /// A sale that waits.
    struct Entry: Sendable {
        let sale: Sale
        let stage: Hold.Stage
        /// Finishing it releases the sale.
        let release: AsyncStream<Never>.Continuation
    }

    private var holds: [Hold] = []
    private(set) var guests: [Int: Entry] = [:]
    private var nextGuest = 0

    mutating func add(_ hold: Hold) { holds.append(hold) }

    /// A stream that ends when the sale may continue; nil when nothing holds it.
    mutating func enter(_ sale: Sale, at stage: Hold.Stage) -> (guest: Int, wait: AsyncStream<Never>)? {
        guard let index = holds.firstIndex(where: { $0.stage == stage && $0.match.matches(sale) }) else { return nil }
        holds[index].count -= 1
        if holds[index].count <= 0 { holds.remove(at: index) }
        let (wait, release) = AsyncStream<Never>.makeStream()
        nextGuest += 1
        guests[nextGuest] = Entry(sale: sale, stage: stage, release: release)
        return (nextGuest, wait)
    }

    mutating func leave(_ guest: Int) { guests[guest] = nil }

    /// Releases the waiting sales that match; `forgetting` also removes the holds that no sale has met yet.
    mutating func release(_ match: SaleMatch, forgetting: Bool) -> Int {
        let leaving = guests.filter { match.matches($0.value.sale) }
        for (number, guest) in leaving {
            guest.release.finish()
            guests[number] = nil
        }
        if forgetting { holds = [] }
        return leaving.count
    }
}
