import CYardstick
import SandboxBroker

/// One of several workers of a service: its ports and its own name.
struct BenchWorker: Sendable {
    let port: Int
    let adminPort: Int
    let member: String?

    var environment: [String: String] { member.map { ["KAFKA_MEMBER": $0] } ?? [:] }

    /// - Parameter areNamed: whether each has a name of its own.
    static func take(_ count: Int, areNamed: Bool) throws -> [BenchWorker] {
        let ports = try FreePorts.take(2 * count)
        return (0..<count).map {
            BenchWorker(port: ports[2 * $0], adminPort: ports[2 * $0 + 1], member: areNamed ? "worker-\($0)" : nil)
        }
    }

    /// Whether `/readyz` answers 200.
    var isReady: Bool {
        get async {
            let probe = Array("GET /readyz HTTP/1.1\r\nHost: bench\r\n\r\n".utf8)
            return await HTTPLoad.run(Int32(adminPort), connections: 1, [probe])?.load.refused == 0
        }
    }
}
