/// The two ways to write an ECDSA signature on P-256: r ‖ s of 32 bytes each, and DER.
enum ECDSASignature {
    /// Two integers of 33 bytes with their tags and lengths.
    static let maximumDERCount = 72

    /// ECDSA-Sig-Value with minimal integers.
    static func der(fromRaw raw: [UInt8]) -> [UInt8] {
        let body = integer(raw[..<32]) + integer(raw[32...])
        return [0x30, UInt8(body.count)] + body
    }

    /// r ‖ s of a DER signature made by OpenSSL; nil for any other bytes.
    static func raw(fromDER der: [UInt8]) -> [UInt8]? {
        guard der.count >= 2, der[0] == 0x30, Int(der[1]) == der.count - 2 else { return nil }
        var rest = der[2...]
        guard let r = padded(&rest), let s = padded(&rest), rest.isEmpty else { return nil }
        return r + s
    }

    private static func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var digits = Array(bytes.drop { $0 == 0 })
        if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
        return [0x02, UInt8(digits.count)] + digits
    }

    private static func padded(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        guard rest.popFirst() == 0x02, let count = rest.popFirst(), rest.count >= count else { return nil }
        let digits = rest.prefix(Int(count)).drop { $0 == 0 }
        rest = rest.dropFirst(Int(count))
        return digits.count <= 32 ? [UInt8](repeating: 0, count: 32 - digits.count) + digits : nil
    }
}
