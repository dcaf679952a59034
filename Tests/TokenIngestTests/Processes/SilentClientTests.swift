import Contracts
import Foundation
import OrchardCrypto
import OrchardHTTPClient
import OrchardHTTPTypes
import OrchardJOSE
import OrchardServiceKit
import SandboxBroker
import TestSupport
import Testing

@testable import TokenIngest

@Suite("Clients that connect and send nothing", .serialized)
struct SilentClientTests {
    private static let topics = [Topic.charges, .attempts, .contacts].map { BrokerTopic(name: $0.name, partitions: 4) }

    /// Sockets that are connected and silent; closed with this object.
    private final class Crowd {
        private var descriptors: [Int32] = []

        init(count: Int, port: Int) {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = in_port_t(UInt16(port).bigEndian)
            address.sin_addr.s_addr = inet_addr("127.0.0.1")
            for _ in 0..<count {
                let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
                guard descriptor >= 0 else { return }
                descriptors.append(descriptor)
                withUnsafePointer(to: &address) {
                    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        _ = connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                    }
                }
            }
        }

        var count: Int { descriptors.count }

        deinit { for descriptor in descriptors { close(descriptor) } }
    }

    @Test("a thousand of them stop the process neither from opening its own files nor from serving others")
    func crowd() async throws {
        let shop = try Shop()
        let broker = try BrokerProcess(topics: Self.topics)
        // More silent clients than the process may have open; they may be silent for longer than the test lasts.
        let ingest = try shop.ingest(
            brokers: broker.bootstrapServers, ["KEYS_RELOAD": "100ms", "HTTP_FIRST_BYTE": "10m"], openFiles: 600)
        let (port, admin) = (try await ingest.port(of: "http"), try await ingest.port(of: "admin"))
        let client = HTTPClient()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await client.run() }
            func get(_ port: Int, _ path: String) async -> HTTPResponse? {
                let outcome = await client.send(
                    HTTPClientRequest(method: .get, url: "http://127.0.0.1:\(port)\(path)"))
                guard case .answered(let answer) = outcome else { return nil }
                return answer.response
            }
            try await ingest.until { await get(admin, "/readyz")?.status == .ok }

            let crowd = Crowd(count: 1_000, port: port)
            #expect(crowd.count == 1_000, "this test itself needs a higher limit of open files")
            try await ingest.until { await get(port, "/healthz")?.status == .ok }
            let metrics = String(decoding: await get(admin, "/metrics")?.body ?? [], as: UTF8.self)
            let open = metrics.firstMatch(of: #/http_server_open_connections (\d+)/#).flatMap { Int($0.output.1) }
            #expect((300...344).contains(try #require(open)), "344 of 600 are for connections")

            // A file that changes is opened again, which takes a descriptor.
            let next = JWK(
                keyID: "next", publicKey: try P256PrivateKey.generate().publicKey,
                notBefore: shop.now.seconds - 1, expires: shop.now.seconds + 86_400)
            try Data(JWKSet([next]).json()).write(to: shop.folder.appending(path: "sealing.json"), options: .atomic)
            try await ingest.until {
                String(decoding: await get(admin, "/readyz")?.body ?? [], as: UTF8.self).contains("sealing to next")
            }
            #expect(!ingest.log.contains("cannot be read"))
            withExtendedLifetime(crowd) {}
            group.cancelAll()
        }
    }

    @Test("a limit of open files that leaves no connections stops the start, with a reason")
    func limit() async throws {
        let shop = try Shop()
        let ingest = try shop.ingest(brokers: "127.0.0.1:1", openFiles: 200)
        #expect(try await ingest.status() != 0)
        #expect(ingest.log.contains("reserved-files keeps 256"), "\(ingest.log)")
    }
}
