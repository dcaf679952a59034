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
        let method: HTTPMethod
        let route: RouteName?
        let requestID: RequestID
        let begin: MonotonicTime
    }

    /// The answer of a task; nil when the handler gave the request up, and the connection is to be closed without one.
    func respond(to pending: PendingRequest) async -> CheckedResponse? {
        let trace = trace(of: pending.request)
        return await TraceContext.$current.withValue(trace) {
            let exchange = begin(pending.request, pending.call, trace, at: .now)
            let result: Result<HTTPResponse, any Error>
            do { result = .success(try await answer(to: pending)) } catch { result = .failure(error) }
            return finish(exchange, with: result, at: .now)
        }
    }

    /// The answer of a handler that does not suspend; nil as above.
    ///
    /// - Parameter moment: when the request came in; afterwards, when it was answered. A loop would else read the clock
    ///   for each of the two.
    func respond(
        to request: HTTPRequest, of call: RouteCall, with handler: Router.ImmediateHandler,
        at moment: inout MonotonicTime
    ) -> CheckedResponse? {
        let trace = trace(of: request)
        let exchange = begin(request, call, trace, at: moment)
        let result = TraceContext.$current.withValue(trace) { Result { try handler(request, call.parameters) } }
        moment = .now
        return finish(exchange, with: result, at: moment)
    }

    private func trace(of request: HTTPRequest) -> TraceContext {
        // `tracestate`, the note of other vendors' tracing systems, ends here.
        let outside = adoptsTraceparent ? request.fields["traceparent"] : nil
        return outside.flatMap(TraceContext.init(traceparent:))?.child() ?? .random()
    }

    private func begin(
        _ request: HTTPRequest, _ call: RouteCall, _ trace: TraceContext, at instant: MonotonicTime
    ) -> Exchange {
        metrics.activeRequests.increment()
        return Exchange(
            method: request.method, route: call.route, requestID: RequestID(request, trace), begin: instant)
    }

    /// Records what became of a request.
    private func finish(
        _ exchange: Exchange, with result: Result<HTTPResponse, any Error>, at instant: MonotonicTime
    ) -> CheckedResponse? {
        let (response, status, cause) = checked(result, requestID: exchange.requestID)
        metrics.activeRequests.decrement()
        let duration = exchange.begin.duration(to: instant)
        let method = exchange.method
        if let route = exchange.route {
            let isFailure = status == .unauthorized || status.code >= 500
            failures.record(
                method, route.template, failure: isFailure ? "\(status.code)\(cause.map { " \($0)" } ?? "")" : nil)
        }
        metrics.answered(method, route: exchange.route, status: status, in: duration)
        // The service itself logs what went well.
        logger.log(
            status.code < 400 ? .debug : .info,
            "\(method.rawValue.prefix(16)) \(exchange.route?.template ?? "(no route)") \(status.code)",
            metadata: [
                "request_id": exchange.requestID.description, "status": "\(status.code)",
                "milliseconds": "\((duration / .microseconds(100)).rounded() / 10)",
            ])
        return response
    }

    private func checked(
        _ result: Result<HTTPResponse, any Error>, requestID: RequestID
    ) -> (CheckedResponse?, HTTPStatus, cause: String?) {
        do {
            let response = try result.get()
            if let checked = CheckedResponse(response, requestID: requestID) { return (checked, response.status, nil) }
            logger.error(
                "a handler's answer has a field that HTTP does not allow", ["request_id": requestID.description])
        } catch let problem as Problem {
            let response = HTTPResponse.problem(problem)
            if let checked = CheckedResponse(response, requestID: requestID) {
                return (checked, response.status, problem.detail.map { "\(problem.code): \($0)" } ?? problem.code)
            }
            logger.error("a problem has a field that HTTP does not allow", ["request_id": requestID.description])
        } catch is CancellationError {
            return (nil, Self.clientLeft, nil)
        } catch {
            logger.error("a handler failed: \(error)", ["request_id": requestID.description])
        }
        let problem = Problem(
            .internalServerError, code: "internal-error",
            detail: "our fault; quote the request id when you report it", instance: "urn:orchard:request:\(requestID)")
        return (CheckedResponse(.problem(problem)) ?? .internalError, .internalServerError, problem.code)
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
}
