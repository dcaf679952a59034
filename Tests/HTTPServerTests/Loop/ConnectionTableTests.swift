import Testing

@testable import OrchardHTTPServer

/// The limits are the server's: what one loop's connection does counts for those of the others.
@Suite struct ConnectionTableTests {
    private let begin = ContinuousClock.now
    @Test func connectionsGoToTheLoopThatHasFewest() {
        var table = ConnectionTable(loops: 2)
        let entries = (10..<14).map { table.add($0, at: begin) }
        #expect(entries.map(\.loop) == [0, 1, 0, 1] && table.count == 4)
        #expect(table.remove(entries[0].token) == false && table.remove(entries[2].token) == false)
        #expect((20..<23).map { table.add($0, at: begin).loop } == [0, 0, 0])
    }

    @Test func whoHasBeenIdleLongestIsEndedWhicheverLoopOwnsIt() throws {
        var table = ConnectionTable(loops: 2)
        let first = table.add(10, at: begin)
        let second = table.add(11, at: begin)
        #expect(table.takeEvictable(at: begin + .milliseconds(99)) == nil, "it is too young")
        table.update(first.token, heldBytes: 5, waiting: .rest, at: begin + .seconds(1))
        #expect(table.takeEvictable(at: begin + .seconds(2))?.token == second.token)
        #expect(table.count == 1, "it no longer counts, though its loop still has to close it")
        #expect(table.takeEvictable(at: begin + .seconds(2))?.token == first.token, "then who sends a request")
        #expect(table.takeEvictable(at: begin + .seconds(2)) == nil)
        table.restore(second.token, loop: 1, at: begin)
        #expect(table.count == 1 && table.takeEvictable(at: begin + .seconds(2)) == nil, "its request came in")
    }

    @Test func memoryIsCountedOverAllLoopsAndTheSlowestRequestIsRefused() throws {
        var table = ConnectionTable(loops: 2)
        let slow = table.add(10, at: begin)
        let quick = table.add(11, at: begin)
        table.update(slow.token, heldBytes: 600, waiting: .rest, at: begin)
        table.update(quick.token, heldBytes: 500, waiting: .rest, at: begin)
        #expect(table.heldBytes == 1_100 && table.takeSlowest(above: 1_100) == nil)
        #expect(table.takeSlowest(above: 1_000)?.token == slow.token && table.heldBytes == 500)
        #expect(table.takeSlowest(above: 1_000) == nil, "the rest fits")
        #expect(table.takeSlowest(above: 0)?.token == quick.token)
        #expect(table.takeSlowest(above: 0) == nil && table.heldBytes == 0)
        table.update(slow.token, heldBytes: 600, waiting: .rest, at: begin)
        #expect(table.heldBytes == 600, "until its loop tells otherwise")
        #expect(table.remove(slow.token) == false && table.heldBytes == 0)
    }

    @Test func whatIsMeantForAnEarlierConnectionReachesNoLaterOne() {
        var table = ConnectionTable(loops: 1)
        let old = table.add(10, at: begin)
        _ = table.remove(old.token)
        let new = table.add(10, at: begin)
        table.update(old.token, heldBytes: 600, waiting: .rest, at: begin)
        _ = table.remove(old.token)
        #expect(new.token != old.token && table.count == 1 && table.heldBytes == 0)
    }

    @Test func aLoopThatHasEndedTakesNoConnection() throws {
        var table = ConnectionTable(loops: 1)
        let (entry, mailbox) = (table.add(10, at: begin), try LoopMailbox())
        #expect(mailbox.accept(entry))
        #expect(mailbox.take().accepted.map(\.token) == [entry.token])
        #expect(mailbox.accept(entry))
        #expect(mailbox.end().accepted.map(\.token) == [entry.token], "what was not adopted is given back")
        #expect(!mailbox.accept(entry), "whoever offers it closes it")
    }
}

extension ConnectionTable.Entry: Equatable {
    public static func == (left: Self, right: Self) -> Bool { left.token == right.token }
}
