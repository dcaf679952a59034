import OrchardHTTPTypes
import OrchardServiceKit

/// The client's instruments; names are OpenTelemetry's HTTP conventions.
struct ClientMetrics: Sendable {
    let registry: MetricsRegistry

    func ended(_ request: HTTPClientRequest, _ outcome: HTTPOutcome, in duration: Duration) {
        let (name, detail) =
            switch outcome {
            case .answered(let answer): ("answered", String(answer.response.status.code))
            case .notSent(let failure): ("not_sent", failure.code.rawValue)
            case .unknown(let failure): ("unknown", failure.code.rawValue)
            }
        registry.histogram(
            "http_client_request_duration_seconds", help: "From submission to the end of the answer or the failure.",
            labels: [
                ("server_address", HTTPURL(request.url)?.host ?? "none"), ("outcome", name), ("detail", detail),
            ]
        ).record(duration)
    }
}
