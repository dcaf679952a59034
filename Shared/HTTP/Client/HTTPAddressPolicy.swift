import Glibc

/// Which addresses may be connected. It is asked about the very address that the socket is opened for, so that no second
/// resolution of the name can give another.
public enum HTTPAddressPolicy: Hashable, Sendable {
    case any
    /// Addresses of the public Internet alone: not of this machine, its networks or the cloud that it runs in. For URLs
    /// that others choose.
    case publicOnly

    /// - Parameter address: 4 bytes of IPv4 or 16 of IPv6.
    public func allows(_ address: [UInt8]) -> Bool {
        switch (self, address.count) {
        case (.any, _): true
        case (.publicOnly, 4): Self.isPublic(IPv4(address))
        case (.publicOnly, 16): Self.isPublicIPv6(address)
        default: false
        }
    }

    /// - Parameter host: of a URL. A name is allowed here, and its addresses when they are connected.
    public func allows(_ host: HTTPURL) -> Bool {
        var (v4, v6) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, host.host, &v4) == 1 { return withUnsafeBytes(of: v4) { allows(Array($0)) } }
        if inet_pton(AF_INET6, host.host, &v6) == 1 { return withUnsafeBytes(of: v6) { allows(Array($0)) } }
        return self == .any || !host.isLoopback
    }

    /// - Parameter address: a `sockaddr_in` or `sockaddr_in6`, as `family` says.
    func allows(family: Int32, _ address: UnsafeRawPointer) -> Bool {
        switch family {
        case AF_INET:
            withUnsafeBytes(of: address.loadUnaligned(as: sockaddr_in.self).sin_addr) { allows(Array($0)) }
        case AF_INET6:
            withUnsafeBytes(of: address.loadUnaligned(as: sockaddr_in6.self).sin6_addr) { allows(Array($0)) }
        default: self == .any
        }
    }

    /// An IPv4 address as a number.
    private typealias IPv4 = UInt32

    /// What is not public (IANA's registry of special-purpose addresses), and the servers of clouds at public addresses.
    private static let special: [(IPv4, bits: UInt32)] = [
        (0x00_00_00_00, 8), (0x0A_00_00_00, 8), (0x64_40_00_00, 10), (0x7F_00_00_00, 8), (0xA9_FE_00_00, 16),
        (0xAC_10_00_00, 12), (0xC0_00_00_00, 24), (0xC0_00_02_00, 24), (0xC0_58_63_00, 24), (0xC0_A8_00_00, 16),
        (0xC6_12_00_00, 15), (0xC6_33_64_00, 24), (0xCB_00_71_00, 24), (0xE0_00_00_00, 3),
        // 168.63.129.16: Azure's host.
        (0xA8_3F_81_10, 32),
    ]

    private static func isPublic(_ address: IPv4) -> Bool {
        !special.contains { network, bits in (address ^ network) >> (32 - bits) == 0 }
    }

    /// Global unicast addresses that are none of a special kind. Those that carry an IPv4 address to a gateway (NAT64,
    /// 6to4) are as public as that is.
    private static func isPublicIPv6(_ bytes: [UInt8]) -> Bool {
        // 64:ff9b::/96
        if bytes.starts(with: [0x00, 0x64, 0xFF, 0x9B]), bytes[4..<12].allSatisfy({ $0 == 0 }) {
            return isPublic(IPv4(bytes[12...]))
        }
        guard bytes[0] >> 5 == 0b001 else { return false }
        switch (bytes[0], bytes[1], bytes[2], bytes[3]) {
        // 2001::/23, Teredo among them, and 2001:db8::/32
        case (0x20, 0x01, 0x00...0x01, _), (0x20, 0x01, 0x0D, 0xB8): return false
        // 2002::/16
        case (0x20, 0x02, _, _): return isPublic(IPv4(bytes[2..<6]))
        // 3fff::/20, for documentation
        case (0x3F, 0xFF, 0x00...0x0F, _): return false
        default: return true
        }
    }
}

extension UInt32 {
    /// Four bytes, the most significant first.
    fileprivate init(_ bytes: some Sequence<UInt8>) { self = bytes.reduce(0) { $0 << 8 | UInt32($1) } }
}
