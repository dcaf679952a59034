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

    /// The answer; nil when the handler gave the request up, and the connection is to be closed without one.
    func respond(to pending: PendingRequest) async -> EncodedResponse? {
        // `tracestate`, the note of other vendors' tracing systems, ends here.
        let outside = adoptsTraceparent ? pending.request.fields["traceparent"] : nil
        let trace = outside.flatMap(TraceContext.init(traceparent:))?.child() ?? .random()
        return await TraceContext.$current.withValue(trace) {
            let begin = ContinuousClock.now
            let requestID = Self.requestID(pending.request) ?? trace.traceID
            metrics.activeRequests.increment()
            let (response, status, cause) = await encodedAnswer(to: pending, requestID: requestID)
            metrics.activeRequests.decrement()
            let duration = begin.duration(to: .now)
            if let route = pending.call.template {
                let isFailure = status == .unauthorized || status.code >= 500
                failures.note(
                    "\(pending.request.method) \(route)",
                    failure: isFailure ? "\(status.code)\(cause.map { " \($0)" } ?? "")" : nil)
            }
            metrics.answered(
                pending.request.method, route: pending.call.template, status: status, in: duration)
            logger.info(
                "\(pending.request.method.rawValue.prefix(16)) \(pending.call.template ?? "(no route)") \(status.code)",
                [
                    "request_id": requestID, "status": "\(status.code)",
                    "milliseconds": "\((duration / .microseconds(100)).rounded() / 10)",
                ])
            return response
        }
    }

    private func encodedAnswer(
        to pending: PendingRequest, requestID: String
    ) async -> (EncodedResponse?, HTTPStatus, cause: String?) {
        do {
            var response = try await answer(to: pending)
            response.fields["X-Request-Id"] = requestID
            if let encoded = EncodedResponse(response) { return (encoded, response.status, nil) }
            logger.error("a handler's answer has a field that HTTP does not allow", ["request_id": requestID])
        } catch let problem as Problem {
            var response = HTTPResponse.problem(problem)
            response.fields["X-Request-Id"] = requestID
            if let encoded = EncodedResponse(response) {
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

    /// Runs the handler; on a route that wants it, only as long as the client is there.
    private func answer(to pending: PendingRequest) async throws -> HTTPResponse {
        guard let departure = pending.departure else { return try await pending.call.answer() }
        return try await withThrowingTaskGroup(of: HTTPResponse?.self) { group in
            group.addTask { try await pending.call.answer() }
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
