import OrchardHTTPTypes
import OrchardServiceKit

/// What a request is called in its answer (`X-Request-Id`), in logs and in problems: a token.
enum RequestID: Hashable, CustomStringConvertible {
    /// The caller's own name for it.
    case given(String)
    /// The request's trace. It becomes a text only where one is needed.
    case trace(TraceContext)

    /// The caller's own name for the request, when it is harmless in logs, else its trace.
    init(_ request: HTTPRequest, _ trace: TraceContext) {
        if let id = request.fields["X-Request-Id"], id.utf8.count <= 64, ByteClass.isToken(id) {
            self = .given(id)
        } else {
            self = .trace(trace)
        }
    }

    var description: String {
        switch self {
        case .given(let text): text
        case .trace(let trace): trace.traceID
        }
    }

    /// Writes it behind `bytes`.
    func write(to bytes: inout [UInt8]) {
        switch self {
        case .given(let text): bytes.append(contentsOf: text.utf8)
        case .trace(let trace): trace.writeTraceID(to: &bytes)
        }
    }
}
