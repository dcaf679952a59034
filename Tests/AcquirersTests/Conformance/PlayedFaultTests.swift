import FaultyServer
import OrchardHTTPClient
import OrchardHTTPTypes
import OrchardServiceKit
import Testing

@testable import AcquirerConformance

@Suite("Faults that the conformance suite plays", .timeLimit(.minutes(4)))
struct PlayedFaultTests {
    /// Else what a connector says of its next request rests on chance: the end may come before or after it was sent.
    @Test(
        "end a connection after their answer only when the client was told, so that the next request meets no end",
        arguments: ["an answer of garbage", "an empty answer", "status 500", "a redirect"])
    func answers(name: String) async throws {
        let fault = try #require(PlayedFault.all.first { $0.name == name })
        let server = try FaultyServer { peer, _ in fault.play(peer) }
        let (client, shutdown) = (HTTPClient(), GracefulShutdown())
        await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await GracefulShutdown.$current.withValue(shutdown) { try await client.run() } }
            defer { shutdown.begin() }
            for _ in 0..<300 {
                let outcome = await client.send(HTTPClientRequest(method: .post, url: server.url))
                guard case .answered = outcome else {
                    Issue.record("\(outcome)")
                    return
                }
            }
        }
    }
}
