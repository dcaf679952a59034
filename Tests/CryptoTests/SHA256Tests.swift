import OrchardCrypto
import Testing

/// FIPS 180-4 examples.
@Suite("SHA-256")
struct SHA256Tests {
    @Test(
        "vectors",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func vectors(_ text: String, _ digest: String) {
        #expect(Hex.encode(SHA256.hash(text)) == digest)
    }

    @Test("the digest of a million a's, in pieces of odd sizes")
    func pieces() {
        var hasher = SHA256.Hasher()
        var left = 1_000_000
        var size = 1
        while left > 0 {
            let piece = [UInt8](repeating: UInt8(ascii: "a"), count: min(size, left))
            if size.isMultiple(of: 2) { hasher.update(piece) } else { hasher.update(piece[...]) }
            left -= piece.count
            size = size % 997 + 13
        }
        #expect(Hex.encode(hasher.finish()) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test("hashers in many tasks at once do not disturb each other")
    func concurrency() async {
        let results = await withTaskGroup { group in
            for number in 0..<64 {
                group.addTask {
                    var hasher = SHA256.Hasher()
                    for byte in 0..<200 { hasher.update([UInt8(number), UInt8(byte)]) }
                    let inPieces = hasher.finish()
                    return inPieces == SHA256.hash((0..<200).flatMap { [UInt8(number), UInt8($0)] })
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.count == 64)
        #expect(results.allSatisfy { $0 })
    }
}
