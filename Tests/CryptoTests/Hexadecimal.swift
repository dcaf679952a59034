import OrchardCrypto
import Testing

/// Hexadecimal text makes test vectors easier to read; spaces are ignored.
func hex(_ text: String) throws -> [UInt8] {
    try #require(Hex.decode(text.filter { $0 != " " && $0 != "\n" }))
}
