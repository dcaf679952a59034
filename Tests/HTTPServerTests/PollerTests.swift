import Foundation
import Testing

@testable import OrchardHTTPServer

@Suite struct PollerTests {
    /// A regular file stands for whatever the kernel cannot watch: it refuses with EPERM, as it does with ENOSPC when the
    /// user's watches are used up.
    @Test func whatTheKernelRefusesIsReportedAndEndsNothing() throws {
        let poller = try Poller()
        let file = open("/proc/self/exe", O_RDONLY)
        defer { close(file) }
        let refused = [
            poller.add(file, token: 1), poller.add(connection: file, token: 1), poller.add(connection: -1, token: 1),
        ]
        #expect(refused == [false, false, false])
        poller.remove(file)

        var pair: [Int32] = [0, 0]
        try #require(pipe(&pair) == 0)
        defer { pair.forEach { close($0) } }
        let taken = [poller.add(pair[0], token: 7), poller.add(pair[0], token: 7)]
        #expect(taken == [true, false], "it is watched already")
        #expect(write(pair[1], "x", 1) == 1)
        #expect(poller.wait(milliseconds: 1_000).map(\.token) == [7])
    }
}
