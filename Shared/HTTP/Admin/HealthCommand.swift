import OrchardHTTPClient
import OrchardHTTPServer
import OrchardHTTPTypes
import OrchardServiceKit

/// `SERVICE health`: asks a running service whether it lives or is ready, where no other program could ask, as in an
/// image without a shell.
public enum HealthCommand {
    /// - Parameters:
    ///   - program: the service's name.
    ///   - port: the default of its `admin.port`.
    public static func command(_ program: String, defaultPort port: Int) -> Command {
        Command(
            name: "health", summary: "ask the running service whether it lives, or is ready",
            discussion: """
                Asks /healthz of the admin port on this machine and prints the answer. The status is 0 for yes and 1 for no, \
                also when nobody answers. It reads the same settings as `serve`. A port with admin.tls.certificate is not \
                asked: let the orchestrator do it.
                """,
            options: [
                .flag("ready", help: "Ask /readyz instead: whether it can do its work now, and what it waits for.")
            ],
            configuration: ConfigReader.keys { settings($0, port) },
            examples: [
                .init("\(program) health", "whether it lives"),
                .init("\(program) health --ready --admin-port \(port)", "whether it is ready"),
            ]
        ) { invocation in
            let (admin, _) = try invocation.configuration { settings($0, port) }
            guard admin.tls == nil else {
                throw UsageError("the admin port has TLS and may ask for certificates: let the orchestrator ask it")
            }
            let answer = try await ask(admin, invocation.has("ready") ? "/readyz" : "/healthz")
            guard let answer else {
                print("nobody answers at \(address(admin))")
                return 1
            }
            print(String(decoding: answer.body, as: UTF8.self), terminator: "")
            return answer.status == .ok ? 0 : 1
        }
    }

    private static func settings(_ reader: ConfigReader, _ port: Int) -> HTTPServerConfiguration {
        HTTPServerConfiguration(reader: reader.scoped(to: "admin"), defaultPort: port, limits: .admin)
    }

    /// Where this machine reaches the port; a service that listens everywhere is asked on loopback.
    private static func address(_ admin: HTTPServerConfiguration) -> String {
        let host =
            switch admin.host {
            case "0.0.0.0": "127.0.0.1"
            case "::": "[::1]"
            case let host where host.contains(":"): "[\(host)]"
            case let host: host
            }
        return "http://\(host):\(admin.port)"
    }

    /// - Returns: nil when no answer comes within five seconds.
    private static func ask(_ admin: HTTPServerConfiguration, _ path: String) async throws -> HTTPResponse? {
        var configuration = HTTPClientConfiguration()
        configuration.totalTimeout = .seconds(5)
        configuration.urlPolicy = .any
        let client = HTTPClient(
            configuration: configuration, logger: Logger(label: "health", level: .critical))
        return await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await client.run() }
            defer { group.cancelAll() }
            let outcome = await client.send(HTTPClientRequest(method: .get, url: address(admin) + path))
            guard case .answered(let answer) = outcome else { return nil }
            return answer.response
        }
    }
}
