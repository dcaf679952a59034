import OrchardHTTPClient
import OrchardServiceKit

/// A server that plays Apple's for merchant sessions. What it answers is of use to a test's sheet alone.
///
/// Configuration keys:
/// - `server`: as in `localhost:8443`
/// - `root`: the certificate of the authority that issued its certificate
struct TestSessionServer: Hashable, Sendable {
    let host: String
    let port: Int
    let rootFile: String

    /// nil when none is named.
    init?(reader: ConfigReader) {
        let server = reader.optionalString(
            "server",
            doc:
                "A server, as in localhost:8443, that is asked for merchant sessions instead of Apple's; for tests only."
        )
        let root = reader.optionalFile(
            "root", doc: "The root certificate of apple.sessions.server; both or neither.")
        guard let server, let root else {
            if server != nil { reader.report("root", "is required beside apple.sessions.server") }
            if root != nil { reader.report("server", "is required beside apple.sessions.root") }
            return nil
        }
        guard let url = HTTPURL("https://\(server)"), server.allSatisfy({ $0 != "/" && $0 != "?" }) else {
            reader.report("server", "is not a host with a port, as in localhost:8443")
            return nil
        }
        (host, port, rootFile) = (url.host, url.port, root)
    }

    var servers: SessionServers { SessionServers(hosts: [host], port: port) }
}
