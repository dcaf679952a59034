import FaultyServer
import Glibc
import OrchardHTTPClient
import OrchardHTTPTypes
import Testing

@Suite(.timeLimit(.minutes(2))) struct HTTPAddressPolicyTests {
    @Test(arguments: [
        // This machine, and "any address", which Linux connects to it.
        "127.0.0.1", "127.255.255.254", "0.0.0.0", "0.1.2.3", "::1", "::",
        // Private networks, carrier-grade NAT, link-local.
        "10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1", "192.168.255.255", "100.64.0.1",
        "100.127.255.255", "169.254.0.1", "fe80::1", "febf::1", "fc00::1", "fdff::1", "fec0::1",
        // Clouds' metadata.
        "169.254.169.254", "fd00:ec2::254", "100.100.100.200", "168.63.129.16",
        // IPv4 inside of IPv6.
        "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:8.8.8.8", "::127.0.0.1", "64:ff9b::127.0.0.1",
        "64:ff9b::169.254.169.254", "64:ff9b:1::8.8.8.8", "2002:7f00:1::", "2002:0a00:0001::1", "2002:a9fe:a9fe::",
        "2001::1", "2001:0:7f00:1::1",
        // Documentation, benchmarks, protocol assignments, multicast, reserved.
        "192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1", "198.18.0.1", "198.19.255.255",
        "192.0.0.8", "192.88.99.1", "224.0.0.1", "239.255.255.255", "ff02::1", "240.0.0.1", "255.255.255.255",
        "100::1", "5f00::1", "4000::1",
    ])
    func noOtherThanPublicAddressesAreConnected(_ text: String) throws {
        let address = try Self.bytes(text)
        #expect(!HTTPAddressPolicy.publicOnly.allows(address))
        #expect(HTTPAddressPolicy.any.allows(address))
        let url = try #require(HTTPURL("https://\(text.contains(":") ? "[\(text)]" : text)/"))
        #expect(!HTTPAddressPolicy.publicOnly.allows(url))
    }

    @Test(arguments: [
        "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
        "128.0.0.1", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.167.255.255", "192.169.0.0",
        "168.63.129.15", "198.17.255.255", "198.20.0.0", "223.255.255.255", "2606:4700::1111", "2001:200::1",
        "2001:4860:4860::8888", "64:ff9b::8.8.8.8", "2002:0808:0808::1", "3fff:1000::1",
    ])
    func publicAddressesAreConnected(_ text: String) throws {
        #expect(HTTPAddressPolicy.publicOnly.allows(try Self.bytes(text)))
    }

    /// A name says nothing: what it resolves to is asked about when the socket is opened.
    @Test func aNameThatResolvesToThisMachineIsRefusedWhenItIsConnected() async throws {
        let server = try FaultyServer { peer, _ in
            peer.readRequest()
            peer.answer("")
        }
        var configuration = HTTPClientConfiguration()
        configuration.addressPolicy = .publicOnly
        for host in ["localhost", "127.0.0.1", "127.1.2.3"] {
            let outcome = try await withClient(configuration) {
                await $0.send(HTTPClientRequest(method: .post, url: "http://\(host):\(server.port)/"))
            }
            guard case .notSent(let failure) = outcome else {
                Issue.record("\(host): \(outcome)")
                continue
            }
            #expect(failure.code == .addressRefused, "\(failure)")
        }
        #expect(server.requests == [])
        configuration.addressPolicy = .any
        let outcome = try await withClient(configuration) {
            await $0.send(HTTPClientRequest(method: .post, url: "http://localhost:\(server.port)/"))
        }
        #expect(outcome.answer?.status == .ok, "\(outcome)")
    }

    private static func bytes(_ text: String) throws -> [UInt8] {
        var (v4, v6) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, text, &v4) == 1 { return withUnsafeBytes(of: v4) { Array($0) } }
        try #require(inet_pton(AF_INET6, text, &v6) == 1)
        return withUnsafeBytes(of: v6) { Array($0) }
    }
}
