import Foundation
import OrchardHTTPClient
import OrchardHTTPServer
import OrchardHTTPTypes
import OrchardJSON
public import OrchardServiceKit

/// The simulated acquirer as a server on the loopback address: UnionPay's addresses, and `/_control/…` for tests.
///
/// Notifications go to this machine only, whatever the backUrl is.
public struct AcquirerServer: Service {
    private let acquirer: Acquirer
    private let server: HTTPServer
    private let client: HTTPClient

    public init(pki: AcquirerPKI, options: SimulatorOptions = SimulatorOptions(), logger: Logger) {
        let client = HTTPClient(configuration: HTTPClientConfiguration(), logger: logger.scoped(to: "notify"))
        let acquirer = Acquirer(pki: pki, options: options) { url, form in
            await Self.post(form, to: url, within: options.notificationTimeout, by: client)
        }
        self.client = client
        self.acquirer = acquirer
        server = HTTPServer(
            configuration: HTTPServerConfiguration(host: "127.0.0.1", port: options.port),
            router: Self.router(acquirer), logger: logger.scoped(to: "http"))
    }

    /// The port it listens on, once it listens.
    public var boundPort: Int {
        get async throws { try await server.boundPort }
    }

    /// Runs one command of the control interface, for example `GET book`.
    public func control(
        _ command: String, query: [String: String] = [:], body: JSONValue = .object([])
    ) async throws -> JSONValue {
        try await acquirer.control(command, query: query, body: body)
    }

    public func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await client.run() }
            group.addTask { await acquirer.run() }
            group.addTask { try await server.run() }
            // The first one that ends, by shutdown or failure, ends the others.
            try await group.next()
            group.cancelAll()
        }
    }

    private static func router(_ acquirer: Acquirer) -> Router {
        var router = Router()
        for (path, endpoint) in [
            ("/gateway/api/backTransReq.do", RequestRules.Endpoint.back), ("/gateway/api/queryTrans.do", .query),
            // UnionPay's own file server is another host, where only the root is asked.
            ("/file", .file), ("/", .file),
        ] {
            router.on(.post, path) { request, _ in
                guard let answer = try await acquirer.answer(request.body, at: endpoint) else {
                    throw CancellationError()
                }
                return HTTPResponse(
                    status: HTTPStatus(code: answer.status), fields: ["Content-Type": answer.contentType],
                    body: answer.body)
            }
        }
        for method in [HTTPMethod.get, .post] {
            router.on(method, "/_control/{command}") { request, parameters in
                let query = Dictionary(request.query ?? []) { first, _ in first }
                do {
                    let body = request.body.isEmpty ? JSONValue.object([]) : try JSONValue(parsing: request.body)
                    let command = "\(method.rawValue) \(parameters["command"] ?? "")"
                    return .json(try await acquirer.control(command, query: query, body: body).bytes)
                } catch {
                    return .json(JSONValue.object(["error": .string("\(error)")]).bytes, status: .badRequest)
                }
            }
        }
        return router
    }

    /// Posts a notification; nil when there was no answer or the address is not on this machine.
    private static func post(
        _ form: [UInt8], to address: String, within timeout: Duration, by client: HTTPClient
    ) async -> Int? {
        guard let url = HTTPURL(address), url.isLoopback else {
            return nil
        }
        let request = HTTPClientRequest(
            method: .post, url: address,
            fields: ["Content-Type": "application/x-www-form-urlencoded;charset=UTF-8"], body: form, timeout: timeout)
        guard case .answered(let answer) = await client.send(request) else { return nil }
        return answer.response.status.code
    }
}
