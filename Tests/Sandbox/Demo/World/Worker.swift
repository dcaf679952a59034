import Foundation
import OrchardHTTPClient
import OrchardHTTPTypes

/// One process of a service.
struct Worker: Sendable {
    let process: DemoProcess
    /// The public address, `http://127.0.0.1:PORT`.
    let address: String
    /// The address of its probes and metrics.
    let admin: String

    var name: String { process.name }

    /// Waits until `/readyz` answers 200.
    ///
    /// - Throws: ``DemoError`` when it ends first or takes too long; names its log.
    func waitUntilReady(_ client: HTTPClient, within timeout: Duration = .seconds(60)) async throws {
        let deadline = ContinuousClock.now + timeout
        var last = "no answer"
        while ContinuousClock.now < deadline {
            if case .answered(let answer) = await client.send(
                HTTPClientRequest(method: .get, url: admin + "/readyz", timeout: .seconds(5)))
            {
                if answer.response.status.code == 200 { return }
                last = String(decoding: answer.response.body.prefix(500), as: UTF8.self)
            }
            guard process.isRunning else { throw DemoError("\(name) has ended; its log is \(process.log.path)") }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw DemoError("\(name) is not ready: \(last); its log is \(process.log.path)")
    }
}
