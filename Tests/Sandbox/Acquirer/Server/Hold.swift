/// Keeps matching requests waiting inside the acquirer until a test releases them, so that services can be stopped
/// meanwhile.
struct Hold: Sendable {
    enum Stage: String, Sendable {
        /// Before the book is read.
        case received
        /// Booked, but not answered.
        case booked
    }

    var stage: Stage
    var match: TransactionMatch
    /// How many requests it still holds.
    var count: Int
}

/// The holds of a test and the requests that wait because of them.
struct HeldRequests: Sendable {
    /// A request that waits.
    struct Entry: Sendable {
        let request: TransactionRequest
        let stage: Hold.Stage
        /// Finishing it releases the request.
        let release: AsyncStream<Never>.Continuation
    }

    private var holds: [Hold] = []
    private(set) var guests: [Int: Entry] = [:]
    private var nextGuest = 0

    mutating func add(_ hold: Hold) { holds.append(hold) }

    /// A stream that ends when the request may continue; nil when nothing holds it.
    mutating func enter(
        _ request: TransactionRequest, at stage: Hold.Stage
    ) -> (guest: Int, wait: AsyncStream<Never>)? {
        guard let index = holds.firstIndex(where: { $0.stage == stage && $0.match.matches(request) }) else {
            return nil
        }
        holds[index].count -= 1
        if holds[index].count <= 0 { holds.remove(at: index) }
        let (wait, release) = AsyncStream<Never>.makeStream()
        nextGuest += 1
        guests[nextGuest] = Entry(request: request, stage: stage, release: release)
        return (nextGuest, wait)
    }

    mutating func leave(_ guest: Int) { guests[guest] = nil }

    /// Releases the waiting requests that match; `forgetting` also removes the holds that no request has met yet.
    mutating func release(_ match: TransactionMatch, forgetting: Bool) -> Int {
        let leaving = guests.filter { match.matches($0.value.request) }
        for (number, guest) in leaving {
            guest.release.finish()
            guests[number] = nil
        }
        if forgetting { holds = [] }
        return leaving.count
    }
}
