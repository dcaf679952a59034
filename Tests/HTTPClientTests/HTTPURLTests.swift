import OrchardHTTPClient
import Testing

@Suite struct HTTPURLTests {
    @Test(arguments: [
        ("https://acquirer.example/api?x=1", "acquirer.example", 443, true),
        ("http://localhost:8080", "localhost", 8080, false),
        ("HTTPS://Example.COM:8443/", "example.com", 8443, true), ("http://[::1]:80/", "::1", 80, false),
        ("http://127.0.0.1?x", "127.0.0.1", 80, false),
    ])
    func schemeHostAndPortAreRead(_ text: String, _ host: String, _ port: Int, _ isSecure: Bool) throws {
        let url = try #require(HTTPURL(text))
        #expect(url.host == host && url.port == port && url.isSecure == isSecure)
    }

    @Test(arguments: [
        "", "a", "/a", "ftp://a/", "https://", "https:///a", "https://user:pass@a/", "https://a/#b", "https://a b/",
        "https://a\\b/", "https://a:0/", "https://a:65536/", "https://a:/", "https://a:8x/", "https://[::1/",
        "https://[a]/",
        "https://中.example/", "https://a/\r\nX: y", "https://a%2eb/", "https://[::1]x/",
    ])
    func anythingElseIsRefused(_ text: String) { #expect(HTTPURL(text) == nil) }

    @Test(arguments: [
        ("http://localhost/", true), ("http://127.0.0.1/", true), ("http://127.9.9.9/", true), ("http://[::1]/", true),
        ("http://127.0.0.1.example/", false), ("http://127.attacker.example/", false),
        ("http://localhost.example/", false),
        ("http://128.0.0.1/", false), ("http://127.0.0.256/", false), ("http://127.1/", false),
    ])
    func loopbackIsThisMachineAlone(_ text: String, _ isLoopback: Bool) {
        #expect(HTTPURL(text)?.isLoopback == isLoopback)
    }

    @Test func plainHTTPIsForThisMachineUnlessAllowed() throws {
        try HTTPURLPolicy.httpsUnlessLoopback.check("http://127.0.0.1:1/")
        try HTTPURLPolicy.httpsUnlessLoopback.check("https://a.example/")
        try HTTPURLPolicy.any.check("http://a.example/")
        #expect { try HTTPURLPolicy.httpsUnlessLoopback.check("http://a.example/") } throws: {
            ($0 as? HTTPFailure)?.code == .invalidRequest
        }
    }
}
