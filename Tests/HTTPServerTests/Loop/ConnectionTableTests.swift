import Testing

@testable import OrchardHTTPServer

/// The limits are the server's: what one loop's connection does counts for those of the others.
@Suite struct ConnectionTableTests {
    private let begin = MonotonicTime.now
    @Test func connectionsGoToTheLoopThatHasFewest() {
        var table = ConnectionTable(loops: 2)
        let entries = (10..<14).map { table.add($0, at: begin) }
        #expect(entries.map(\.loop) == [0, 1, 0, 1] && table.count == 4)
        for place in [0, 2] {
            let isAwaited = table.remove(entries[place].token)
            #expect(!isAwaited, "nobody waits for a place")
        }
        #expect((20..<23).map { table.add($0, at: begin).loop } == [0, 0, 0])
    }

    /// Who is asked to make room where all places are taken.
    private func asked(_ table: inout ConnectionTable, after time: Duration) -> UInt64? {
        guard case .held(let entry) = table.place(below: table.count, at: begin + time) else { return nil }
        return entry.token
    }

    @Test func whoHasBeenIdleLongestIsAskedWhicheverLoopOwnsIt() {
        var table = ConnectionTable(loops: 2)
        let (first, second) = (table.add(10, at: begin), table.add(11, at: begin))
        guard case .free = table.place(below: 3, at: begin) else {
            Issue.record("there is a third place")
            return
        }
        #expect(asked(&table, after: .milliseconds(99)) == nil, "it is too young")
        table.update(first.token, heldBytes: 5, waiting: .rest, since: begin + .seconds(1))
        #expect(asked(&table, after: .seconds(2)) == second.token)
        #expect(table.isLeaving(second.token) && !table.isLeaving(first.token))
        #expect(table.count == 2, "it counts until its loop has closed it")
        #expect(asked(&table, after: .seconds(2)) == nil, "one leaves for one that comes")
        let isSignalled = table.remove(second.token)
        #expect(isSignalled && table.count == 1, "the accepting loop is told")
        #expect(asked(&table, after: .seconds(2)) == first.token, "then who sends a request")
    }

    @Test func whoIsAskedInVainCostsNobodyHisPlaceTwice() {
        var table = ConnectionTable(loops: 2)
        let (first, second) = (table.add(10, at: begin), table.add(11, at: begin))
        #expect(asked(&table, after: .seconds(1)) == first.token)
        #expect(asked(&table, after: .milliseconds(1_099)) == nil, "its loop has time to close it")
        #expect(asked(&table, after: .milliseconds(1_100)) == second.token, "its loop is busy")
        #expect(asked(&table, after: .seconds(9)) == nil, "nobody else is there")
        #expect(table.isLeaving(first.token) && table.isLeaving(second.token))
    }

    @Test func whoseClientDoesSomethingStays() {
        var table = ConnectionTable(loops: 2)
        let (first, second) = (table.add(10, at: begin), table.add(11, at: begin))
        #expect(asked(&table, after: .seconds(1)) == first.token)
        table.update(first.token, heldBytes: 9, waiting: .nothing, since: begin + .seconds(1))
        #expect(!table.isLeaving(first.token), "its request came in")
        #expect(asked(&table, after: .seconds(1)) == second.token, "another one is asked at once")
        table.update(first.token, heldBytes: 0, waiting: .request, since: begin + .seconds(2))
        #expect(asked(&table, after: .seconds(3)) == first.token, "it is asked again when it has been idle again")
    }

    @Test func aDescriptorThatIsGivenAgainCountsOnce() {
        var table = ConnectionTable(loops: 2)
        let old = table.add(10, at: begin)
        table.update(old.token, heldBytes: 600, waiting: .rest, since: begin)
        // The other loop has closed it, and the kernel has given its number again, before that loop says so.
        let new = table.add(10, at: begin)
        #expect(table.count == 1 && table.heldBytes == 0)
        _ = table.remove(old.token)
        #expect(table.count == 1 && table.counts[new.loop] == 1)
    }

    @Test func theAcceptingLoopIsSignalledOnlyWhenItWaits() {
        var table = ConnectionTable(loops: 1)
        let entries = (10..<13).map { table.add($0, at: begin) }
        var isSignalled: [Bool] = []
        var mayHavePlace = [table.mayHavePlace(below: 3, at: begin)]
        isSignalled.append(table.remove(entries[0].token))
        mayHavePlace.append(table.mayHavePlace(below: 3, at: begin))
        isSignalled.append(table.remove(entries[1].token))
        #expect(asked(&table, after: .zero) == nil, "it is too young")
        isSignalled.append(table.remove(entries[2].token))
        #expect(mayHavePlace == [false, true] && isSignalled == [true, false, true])
    }

    @Test func memoryIsCountedOverAllLoopsAndTheSlowestRequestIsRefused() throws {
        var table = ConnectionTable(loops: 2)
        let slow = table.add(10, at: begin)
        let quick = table.add(11, at: begin)
        table.update(slow.token, heldBytes: 600, waiting: .rest, since: begin)
        table.update(quick.token, heldBytes: 500, waiting: .rest, since: begin)
        #expect(table.heldBytes == 1_100 && table.removeSlowest(above: 1_100) == nil)
        #expect(table.removeSlowest(above: 1_000)?.token == slow.token && table.heldBytes == 500)
        #expect(table.removeSlowest(above: 1_000) == nil, "the rest fits")
        #expect(table.removeSlowest(above: 0)?.token == quick.token)
        #expect(table.removeSlowest(above: 0) == nil && table.heldBytes == 0)
        table.update(slow.token, heldBytes: 600, waiting: .rest, since: begin)
        #expect(table.heldBytes == 600, "until its loop tells otherwise")
        #expect(table.remove(slow.token) == false && table.heldBytes == 0)
    }

    @Test func whatIsMeantForAnEarlierConnectionReachesNoLaterOne() {
        var table = ConnectionTable(loops: 1)
        let old = table.add(10, at: begin)
        _ = table.remove(old.token)
        let new = table.add(10, at: begin)
        table.update(old.token, heldBytes: 600, waiting: .rest, since: begin)
        _ = table.remove(old.token)
        #expect(new.token != old.token && table.count == 1 && table.heldBytes == 0)
    }

    @Test func aLoopThatHasEndedTakesNoConnection() throws {
        var table = ConnectionTable(loops: 1)
        let (entry, mailbox) = (table.add(10, at: begin), try LoopMailbox())
        #expect(mailbox.accept(entry))
        #expect(mailbox.removeAll().accepted.map(\.token) == [entry.token])
        #expect(mailbox.accept(entry))
        #expect(mailbox.end().accepted.map(\.token) == [entry.token], "what was not adopted is given back")
        #expect(!mailbox.accept(entry), "whoever offers it closes it")
    }
}

extension ConnectionTable.Entry: Equatable {
    public static func == (left: Self, right: Self) -> Bool { left.token == right.token }
}
