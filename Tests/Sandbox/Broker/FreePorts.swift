import Foundation

/// Ports of 127.0.0.1 that no process listens on.
public enum FreePorts {
    /// Below the ports that Linux gives to connections by default: no connection can get the port before the program
    /// listens, or between its kill and its restart.
    private static let range = 10_000..<32_768

    /// `count` different ports.
    public static func take(_ count: Int) throws(BrokerError) -> [Int] {
        let ports = Array(range.shuffled().lazy.filter(isFree).prefix(count))
        guard ports.count == count else { throw BrokerError("127.0.0.1 has no \(count) free ports in \(range)") }
        return ports
    }

    /// Whether a program could listen there now.
    public static func isFree(_ port: Int) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var reuse: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
