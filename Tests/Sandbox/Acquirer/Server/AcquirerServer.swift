import Foundation
import OrchardHTTPClient
import OrchardHTTPServer
import OrchardHTTPTypes
import OrchardJSON
public import OrchardServiceKit

/// The simulated acquirer as a server on the loopback address: UnionPay's addresses, and `/_control/…` for tests.
///
/// Notifications go to this machine only, whatever the backUrl is, or to those that one authority of tests vouches for.
public struct AcquirerServer: Service {
    private let acquirer: Acquirer
    private let server: HTTPServer
    private let client: HTTPClient

    /// - Throws: `ConfigurationError` when the files for TLS cannot be used.
    public init(
        pki: AcquirerPKI, options: SimulatorOptions = SimulatorOptions(), logger: Logger
    ) throws(ConfigurationError) {
        var notifying = HTTPClientConfiguration()
        notifying.caFile = options.notificationAuthority
        let client = HTTPClient(configuration: notifying, logger: logger.scoped(to: "notify"))
        let acquirer = Acquirer(pki: pki, options: options) { url, form in
            guard let address = HTTPURL(url), address.isLoopback || options.notificationAuthority != nil else {
                return nil
            }
            return await Self.post(form, to: url, within: options.notificationTimeout, by: client)
        }
        var configuration = HTTPServerConfiguration(host: options.host, port: options.port)
        configuration.tls = try options.tls.map { files throws(ConfigurationError) in try CheckedFile(files) }
        self.client = client
        self.acquirer = acquirer
        server = HTTPServer(
            configuration: configuration, router: Self.router(acquirer), logger: logger.scoped(to: "http"))
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

    /// Posts a notification; nil when there was no answer.
    private static func post(
        _ form: [UInt8], to address: String, within timeout: Duration, by client: HTTPClient
    ) async -> Int? {
        let request = HTTPClientRequest(
            method: .post, url: address,
            fields: ["Content-Type": "application/x-www-form-urlencoded;charset=UTF-8"], body: form, timeout: timeout)
        guard case .answered(let answer) = await client.send(request) else { return nil }
        return answer.response.status.code
    }
}
