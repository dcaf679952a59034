import OrchardHTTPClient

/// The servers that are asked for merchant sessions.
struct SessionServers: Hashable, Sendable {
    /// In lower case.
    let hosts: Set<String>
    let port: Int

    /// Apple's servers, each by its name: a pattern would let a page choose another host.
    ///
    /// The first two are named in Apple's documentation of `onvalidatemerchant` ("Requesting an Apple Pay payment
    /// session"), those with numbers in its older list for firewalls ("Setting Up Your Server"), and those with `cert` serve
    /// Apple's sandbox.
    static let apple = SessionServers(
        hosts: Set(
            ["", "cn-"].flatMap { ["\($0)apple-pay-gateway", "\($0)apple-pay-gateway-cert"] }
                + pods("apple-pay-gateway", ["nc", "pr"], 1...5) + pods("cn-apple-pay-gateway", ["sh", "tj"], 1...3)
        ).reduce(into: []) { $0.insert("\($1).apple.com") }, port: 443)

    private static func pods(_ name: String, _ sites: [String], _ numbers: ClosedRange<Int>) -> [String] {
        sites.flatMap { site in numbers.flatMap { ["\(name)-\(site)-pod\($0)", "\(name)-\(site)-pod\($0)-dr"] } }
    }

    /// Where Apple's documentation has sessions requested today.
    private static let path = "/paymentservices/paymentSession"
    /// What a `validationURL` may have as its path: browsers give the older one too, and some pages the host alone.
    private static let knownPaths: Set<String> = ["", "/", path, "/paymentservices/startSession"]

    /// The address for a page's `validationURL`: only its host counts, if it is one of these.
    func address(for validationURL: String) throws(SessionRefusal) -> String {
        guard let url = HTTPURL(validationURL) else { throw .wrongURL("urlMalformed", "is no absolute address") }
        guard url.isSecure else { throw .wrongURL("notHTTPS", "does not begin with https://") }
        guard hosts.contains(url.host) else { throw .wrongURL("hostUnknown", "names a server that is not Apple's") }
        guard url.port == port else { throw .wrongURL("portUnknown", "names another port than \(port)") }
        let path = validationURL.dropFirst("https://".count).drop { $0 != "/" && $0 != "?" }
        guard Self.knownPaths.contains(String(path)) else {
            throw .wrongURL("pathUnknown", "has another path than Apple's")
        }
        return "https://\(url.host)\(port == 443 ? "" : ":\(port)")\(Self.path)"
    }
}
