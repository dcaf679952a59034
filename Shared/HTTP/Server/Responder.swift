import OrchardHTTPTypes
import OrchardServiceKit

/// Has a request answered by its handler, inside its trace, with logs and metrics.
struct Responder: Sendable {
    let logger: Logger
    let metrics: ServerMetrics
    let failures: FailureRuns
    /// Whether a request goes on with the trace it names.
    let adoptsTraceparent: Bool

    /// The status in logs and metrics of a request whose client did not wait for the answer; it is never sent.
    private static let clientLeft = HTTPStatus(code: 499)

    /// What a request is called in logs and metrics, and since when it is worked on.
    private struct Exchange {
        let request: HTTPRequest
        let route: String?
        let requestID: String
        let begin = ContinuousClock.now
    }

    /// The answer of a task; nil when the handler gave the request up, and the connection is to be closed without one.
    func respond(to pending: PendingRequest) async -> EncodedResponse? {
        let trace = trace(of: pending.request)
        return await TraceContext.$current.withValue(trace) {
            let exchange = begin(pending.request, pending.call, trace)
            let result: Result<HTTPResponse, any Error>
            do { result = .success(try await answer(to: pending)) } catch { result = .failure(error) }
            return finish(exchange, with: result)
        }
    }

    /// The answer of a handler that does not suspend; nil as above.
    func respond(
        to request: HTTPRequest, of call: RouteCall, with handler: Router.ImmediateHandler
    ) -> EncodedResponse? {
        let trace = trace(of: request)
        return TraceContext.$current.withValue(trace) {
            let exchange = begin(request, call, trace)
            return finish(exchange, with: Result { try handler(request, call.parameters) })
        }
    }

    private func trace(of request: HTTPRequest) -> TraceContext {
        // `tracestate`, the note of other vendors' tracing systems, ends here.
        let outside = adoptsTraceparent ? request.fields["traceparent"] : nil
        return outside.flatMap(TraceContext.init(traceparent:))?.child() ?? .random()
    }

    private func begin(_ request: HTTPRequest, _ call: RouteCall, _ trace: TraceContext) -> Exchange {
        metrics.activeRequests.increment()
        return Exchange(
            request: request, route: call.template, requestID: Self.requestID(request) ?? trace.traceID)
    }

    /// Records what became of a request.
    private func finish(_ exchange: Exchange, with result: Result<HTTPResponse, any Error>) -> EncodedResponse? {
        let (response, status, cause) = encoded(result, requestID: exchange.requestID)
        metrics.activeRequests.decrement()
        let duration = exchange.begin.duration(to: .now)
        let method = exchange.request.method
        if let route = exchange.route {
            let isFailure = status == .unauthorized || status.code >= 500
            failures.record(
                method, route, failure: isFailure ? "\(status.code)\(cause.map { " \($0)" } ?? "")" : nil)
        }
        metrics.answered(method, route: exchange.route, status: status, in: duration)
        // The service itself logs what went well.
        logger.log(
            status.code < 400 ? .debug : .info,
            "\(method.rawValue.prefix(16)) \(exchange.route ?? "(no route)") \(status.code)",
            metadata: [
                "request_id": exchange.requestID, "status": "\(status.code)",
                "milliseconds": "\((duration / .microseconds(100)).rounded() / 10)",
            ])
        return response
    }

    private func encoded(
        _ result: Result<HTTPResponse, any Error>, requestID: String
    ) -> (EncodedResponse?, HTTPStatus, cause: String?) {
        do {
            let response = try result.get()
            if let encoded = EncodedResponse(response, requestID: requestID) { return (encoded, response.status, nil) }
            logger.error("a handler's answer has a field that HTTP does not allow", ["request_id": requestID])
        } catch let problem as Problem {
            let response = HTTPResponse.problem(problem)
            if let encoded = EncodedResponse(response, requestID: requestID) {
                return (encoded, response.status, problem.detail.map { "\(problem.code): \($0)" } ?? problem.code)
            }
            logger.error("a problem has a field that HTTP does not allow", ["request_id": requestID])
        } catch is CancellationError {
            return (nil, Self.clientLeft, nil)
        } catch {
            logger.error("a handler failed: \(error)", ["request_id": requestID])
        }
        let problem = Problem(
            .internalServerError, code: "internal-error",
            detail: "our fault; quote the request id when you report it", instance: "urn:orchard:request:\(requestID)")
        return (EncodedResponse(.problem(problem)) ?? .internalError, .internalServerError, problem.code)
    }

    /// Runs the handler; where the route says so, only while the client is connected.
    private func answer(to pending: PendingRequest) async throws -> HTTPResponse {
        guard let departure = pending.departure else { return try await pending.call.answer(to: pending.request) }
        return try await withThrowingTaskGroup(of: HTTPResponse?.self) { group in
            group.addTask { try await pending.call.answer(to: pending.request) }
            group.addTask {
                for await _ in departure {}
                return nil
            }
            defer { group.cancelAll() }
            guard let answer = try await group.next() ?? nil else { throw CancellationError() }
            return answer
        }
    }

    /// The caller's own name for the request, when it is harmless in logs.
    private static func requestID(_ request: HTTPRequest) -> String? {
        guard let id = request.fields["X-Request-Id"], 1...64 ~= id.utf8.count, id.utf8.allSatisfy(ByteClass.isToken)
        else { return nil }
        return id
    }
}
