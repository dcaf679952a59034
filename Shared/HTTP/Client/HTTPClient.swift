import OrchardHTTPTypes
import OrchardServiceKit

/// An HTTP/1.1 client over libcurl that reports whether a request without an answer was sent.
///
/// A request is never sent twice, not even where HTTP would allow it; no redirects, proxies or cookies. Requests given
/// before ``run()`` wait for it. On graceful shutdown no new requests are accepted, and the current ones end within
/// their own times.
public final class HTTPClient: Service {
    private let configuration: HTTPClientConfiguration
    private let metrics: ClientMetrics
    private let logger: Logger
    private let mailbox = ClientMailbox()

    public init(
        configuration: HTTPClientConfiguration = HTTPClientConfiguration(),
        logger: Logger = Logger(label: "http-client"), metrics: MetricsRegistry = MetricsRegistry()
    ) {
        self.configuration = configuration
        self.logger = logger
        self.metrics = ClientMetrics(registry: metrics)
    }

    /// Sends a request and waits for its whole answer.
    ///
    /// A cancelled task gets its outcome at once: `notSent` or `unknown`, by the same rule as any other failure. Inside a
    /// ``ServiceKit/TraceContext`` the request carries a span of it as `traceparent`, unless it names one itself.
    public func send(_ request: HTTPClientRequest) async -> HTTPOutcome {
        var request = request
        if let trace = TraceContext.current, request.fields["traceparent"] == nil {
            request.fields["traceparent"] = trace.child().traceparent
        }
        return await submit(request)
    }

    private func submit(_ request: HTTPClientRequest) async -> HTTPOutcome {
        let id = mailbox.makeID()
        defer { mailbox.forget(id) }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let submission = ClientMailbox.Submission(id: id, request: request, continuation: continuation)
                if let failure = mailbox.submit(submission) { continuation.resume(returning: .notSent(failure)) }
            }
        } onCancel: {
            mailbox.cancel(id)
        }
        switch outcome {
        case .answered: break
        case .notSent(let failure): logger.info("request not sent", ["failure": failure.description])
        case .unknown(let failure): logger.warning("request without answer", ["failure": failure.description])
        }
        return outcome
    }

    public func run() async throws {
        let loop = CurlLoop(configuration: configuration, mailbox: mailbox, metrics: metrics)
        await withTaskCancellationHandler {
            await withGracefulShutdownHandler {
                await runOnOwnThread(named: "http-client") { loop.run() }
            } onGracefulShutdown: {
                self.mailbox.finish()
            }
        } onCancel: {
            self.mailbox.abort()
        }
    }
}

/// The client's instruments; names are OpenTelemetry's HTTP conventions.
struct ClientMetrics: Sendable {
    let registry: MetricsRegistry

    func ended(at host: String, _ outcome: HTTPOutcome, in duration: Duration) {
        let (name, detail) =
            switch outcome {
            case .answered(let answer): ("answered", String(answer.response.status.code))
            case .notSent(let failure): ("not_sent", failure.code.rawValue)
            case .unknown(let failure): ("unknown", failure.code.rawValue)
            }
        registry.histogram(
            "http_client_request_duration_seconds", help: "From submission to the end of the answer or the failure.",
            labels: [
                ("server_address", host), ("outcome", name), ("detail", detail),
            ]
        ).record(duration)
    }
}
