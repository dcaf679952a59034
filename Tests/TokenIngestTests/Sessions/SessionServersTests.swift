import Testing

@testable import TokenIngest

@Suite("Apple's session servers")
struct SessionServersTests {
    @Test("are these names, and no other")
    func names() {
        let hosts = SessionServers.apple.hosts
        #expect(hosts.count == 36)
        for host in [
            "apple-pay-gateway", "cn-apple-pay-gateway", "apple-pay-gateway-cert", "cn-apple-pay-gateway-cert",
            "apple-pay-gateway-nc-pod1", "apple-pay-gateway-nc-pod5-dr", "apple-pay-gateway-pr-pod3",
            "cn-apple-pay-gateway-sh-pod3", "cn-apple-pay-gateway-tj-pod1-dr",
        ] {
            #expect(hosts.contains("\(host).apple.com"), "\(host)")
        }
        for host in [
            "apple-pay-gateway-nc-pod6.apple.com", "apple-pay-gateway-x.evil-apple.com",
            "apple-pay-gateway-evilXapple.com", "apple-pay-gatewayXapple.com", "apple.com",
        ] {
            #expect(!hosts.contains(host), "\(host)")
        }
    }

    @Test(
        "are asked at the path of today, whatever the page was given",
        arguments: ["/paymentservices/paymentSession", "/paymentservices/startSession", "/", "", ":443/"])
    func path(_ path: String) throws {
        let address = try SessionServers.apple.address(for: "https://APPLE-pay-gateway-cert.apple.com\(path)")
        #expect(address == "https://apple-pay-gateway-cert.apple.com/paymentservices/paymentSession")
    }

    @Test("are asked on port 443 alone")
    func port() {
        #expect(throws: SessionRefusal.self) {
            try SessionServers.apple.address(for: "https://apple-pay-gateway.apple.com:8443/")
        }
    }
}
