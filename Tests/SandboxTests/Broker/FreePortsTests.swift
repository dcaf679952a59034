import Foundation
import SandboxBroker
import Testing

@Suite("Free ports")
struct FreePortsTests {
    @Test("differ, and Linux gives none of them to connections")
    func apart() throws {
        let ports = try FreePorts.take(200)
        #expect(Set(ports).count == 200)
        #expect(ports.allSatisfy { $0 < 32_768 })
    }

    @Test("are never ports that a program listens on")
    func taken() throws {
        let broker = try BrokerProcess(topics: [])
        let port = try #require(broker.bootstrapServers.split(separator: ":").last.flatMap { Int($0) })
        #expect(!FreePorts.isFree(port))
    }
}
