/// What the services need to know of a shop on the web.
struct WebShop: Sendable {
    /// The port of the shop's pages.
    let port: Int
    /// The port of the server that plays Apple's.
    let sessionsPort: Int

    /// The host of the pages, as Apple verifies it.
    static let domain = "localhost"

    /// The pages that may call the services from a browser.
    var origins: [String] { ["http://localhost:\(port)", "http://127.0.0.1:\(port)"] }

    /// The server of merchant sessions, as token-ingest is told it.
    var sessionServer: String { "localhost:\(sessionsPort)" }
}
