/// The value of a Host field: `uri-host [ ":" port ]` (RFC 9112 §3.2, RFC 3986 §3.2.2).
enum HostField {
    static func isValid(_ value: String) -> Bool {
        let bytes = value.utf8
        guard bytes.first == UInt8(ascii: "[") else {
            let host = bytes.prefix { $0 != UInt8(ascii: ":") }
            return !host.isEmpty && host.allSatisfy(ByteClass.isHost) && isPort(bytes[host.endIndex...])
        }
        guard let end = bytes.firstIndex(of: UInt8(ascii: "]")) else { return false }
        let address = bytes[..<end].dropFirst()
        return address.count >= 2
            && address.allSatisfy { ByteClass.isHost($0) || $0 == UInt8(ascii: ":") }
            && isPort(bytes[bytes.index(after: end)...])
    }

    private static func isPort(_ bytes: some Collection<UInt8>) -> Bool {
        guard let first = bytes.first else { return true }
        return first == UInt8(ascii: ":") && bytes.count <= 6 && bytes.dropFirst().allSatisfy(ByteClass.isDigit)
    }
}
