import OrchardCrypto
import Testing

/// Test vectors read better in hexadecimal; spaces are for the eye.
func hex(_ text: String) throws -> [UInt8] {
    try #require(Hex.decode(text.filter { $0 != " " && $0 != "\n" }))
}
