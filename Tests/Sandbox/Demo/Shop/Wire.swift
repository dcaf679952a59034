import OrchardHTTPClient
import OrchardHTTPTypes
import OrchardJSON

/// Sends JSON over HTTP to several equal workers, and repeats requests where that is safe, as a careful app would.
struct Wire: Sendable {
    let client: HTTPClient
    /// Base addresses of the workers.
    let workers: [String]
    /// How often a request without a useful answer is repeated.
    var attempts = 60
    /// Receives the reason of each repetition.
    var onRepeat: (@Sendable (String) -> Void)?

    init(client: HTTPClient, workers: [String], onRepeat: (@Sendable (String) -> Void)? = nil) {
        self.client = client
        self.workers = workers
        self.onRepeat = onRepeat
    }

    /// One answer.
    struct Answer: Sendable {
        let status: Int
        let body: JSONValue
    }

    /// Sends until a worker answers with anything but a temporary refusal (429 and 503). A proxy's own 502 or 504 is none of
    /// a worker: the request may have been taken, or not.
    ///
    /// Every request of the demo may be repeated: an order by its idempotency key, a payment by its token, and a read
    /// always.
    ///
    /// - Parameter worker: the first worker; each repetition goes to the next one.
    func send(
        _ method: HTTPMethod, _ path: String, token: String, fields: [(String, String)] = [], body: [UInt8] = [],
        worker: Int = 0
    ) async throws -> Answer {
        var last = "no answer"
        for attempt in 0..<attempts {
            let base = workers[(worker + attempt) % workers.count]
            var request = HTTPClientRequest(method: method, url: base + path, body: body, timeout: .seconds(40))
            request.fields["Authorization"] = "Bearer \(token)"
            if method == .post { request.fields["Content-Type"] = "application/json" }
            for (name, value) in fields { request.fields[name] = value }
            switch await client.send(request) {
            case .answered(let answer):
                let (status, body) = (answer.response.status.code, answer.response.body)
                let code = (try? JSONValue(parsing: body))?["code"]?.string
                guard Self.isTemporary(status, code: code) else {
                    return Answer(status: status, body: body.isEmpty ? .null : try JSONValue(parsing: body))
                }
                last = ["status \(status)", code].compactMap(\.self).joined(separator: " ")
            case .notSent(let failure): last = "not sent: \(failure)"
            case .unknown(let failure): last = "no answer: \(failure)"
            }
            try Task.checkCancellation()
            onRepeat?(last)
            try await Task.sleep(for: .milliseconds(min(100 * (attempt + 1), 1_000)))
        }
        throw DemoError("\(method) \(path): \(last), \(attempts) times")
    }

    /// - Parameter code: of our services' problems; a proxy's own answer has none.
    private static func isTemporary(_ status: Int, code: String?) -> Bool {
        [429, 503].contains(status) || ([502, 504].contains(status) && code == nil)
    }
}
