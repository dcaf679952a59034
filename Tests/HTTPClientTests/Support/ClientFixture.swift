import OrchardHTTPClient
import OrchardHTTPTypes
import OrchardServiceKit

/// Runs a client while `body` runs.
func withClient<Result: Sendable>(
    _ configuration: HTTPClientConfiguration = HTTPClientConfiguration(),
    _ body: @Sendable (HTTPClient) async throws -> Result
) async throws -> Result {
    let client = HTTPClient(configuration: configuration)
    let shutdown = GracefulShutdown()
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await GracefulShutdown.$current.withValue(shutdown) { try await client.run() } }
        defer { shutdown.begin() }
        return try await body(client)
    }
}

extension HTTPOutcome {
    /// The answer; nil when there is none or it is only known to be complete when something signed says so.
    var answer: HTTPResponse? {
        guard case .answered(let answer) = self, !answer.isCloseDelimited else { return nil }
        return answer.response
    }

    /// The answer, however it was delimited.
    var response: HTTPResponse? {
        if case .answered(let answer) = self { answer.response } else { nil }
    }

    /// In the words of the oracle's table.
    var report: String {
        switch self {
        case .answered: answer == nil ? "unknown" : "success"
        case .notSent: "notSent"
        case .unknown: "unknown"
        }
    }

    var failure: HTTPFailure? {
        switch self {
        case .answered: nil
        case .notSent(let failure), .unknown(let failure): failure
        }
    }
}
