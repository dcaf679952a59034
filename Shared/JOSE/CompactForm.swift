import OrchardCrypto
import OrchardJSON

/// The parts of a compact serialisation (RFC 7515 section 7.1, RFC 7516 section 7.1), still in base64url.
struct CompactForm {
    let parts: [ArraySlice<UInt8>]

    /// Splits a text of exactly `count` parts and at most `maximumSize` bytes.
    init(_ text: String, parts count: Int, maximumSize: Int) throws(JOSEError) {
        guard text.utf8.count <= maximumSize else {
            throw JOSEError(.malformed, "the token is larger than \(maximumSize) bytes")
        }
        parts = Array(text.utf8).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == count else {
            throw JOSEError(.malformed, "the token has \(parts.count) parts where \(count) are expected")
        }
    }

    /// The bytes of one part; base64url without padding, unused bits zero.
    func bytes(_ index: Int) throws(JOSEError) -> [UInt8] {
        guard let bytes = Base64.decodeURL(utf8: parts[index]) else {
            throw JOSEError(.malformed, "part \(index + 1) of the token is not base64url")
        }
        return bytes
    }

    /// Reads the protected header, but only to select the key. The caller then compares all bytes of the header with
    /// the bytes it would have written itself.
    func header(_ member: (inout JSONReader, JSONName) throws(JSONError) -> Void) throws(JOSEError) -> [UInt8] {
        let bytes = try bytes(0)
        do throws(JSONError) {
            try JSONReader.read(bytes, maximumDepth: 4) { reader throws(JSONError) in try reader.object(member) }
        } catch {
            throw JOSEError(.malformed, "the header of the token: \(error.description)")
        }
        return bytes
    }
}
