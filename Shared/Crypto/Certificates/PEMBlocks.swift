/// The blocks of a PEM text (RFC 7468), found by their lines.
///
/// Reads only what an encoded certificate needs: this code, not OpenSSL, parses text from outside. It does not read
/// private keys at all.
struct PEMBlocks {
    /// The decoded blocks with this label, in their order.
    private(set) var blocks: [[UInt8]] = []
    /// Whether there is text other than white space between or around the blocks, or a block with another label.
    private(set) var hasOtherText = false

    private static let begin = Array("-----BEGIN ".utf8)
    private static let end = Array("-----END ".utf8)
    private static let dashes = Array("-----".utf8)

    /// - Throws: ``CryptoError`` `.certificate` for a block that does not end or is not base64.
    init(_ text: ArraySlice<UInt8>, label: String) throws(CryptoError) {
        let (beginLine, endLine) = (Self.begin + label.utf8 + Self.dashes, Self.end + label.utf8 + Self.dashes)
        var body: [UInt8]?
        for line in text.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            let line = Self.trimmed(line)
            if var base64 = body {
                if line.elementsEqual(endLine) {
                    guard let block = Base64.decode(utf8: base64), !block.isEmpty else { throw Self.broken(label) }
                    blocks.append(block)
                    body = nil
                } else {
                    guard line.first != UInt8(ascii: "-") else { throw Self.broken(label) }
                    body = nil
                    base64 += line
                    body = base64
                }
            } else if line.elementsEqual(beginLine) {
                body = []
            } else if !line.isEmpty {
                hasOtherText = true
            }
        }
        guard body == nil else { throw Self.broken(label) }
    }

    private static func broken(_ label: String) -> CryptoError {
        CryptoError(.certificate, "the text has a broken block \(label) in PEM")
    }

    private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var line = line.drop { $0 == 0x20 || $0 == 0x09 }
        while line.last == 0x20 || line.last == 0x09 { line.removeLast() }
        return line
    }
}
