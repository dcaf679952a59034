import SandboxPKI
import Testing

/// Encodings compared with X.690's rules and with the output of `openssl asn1parse`.
@Suite("DER")
struct DERTests {
    @Test(
        "Object identifiers",
        arguments: [
            ("1.2.840.113635.100.6.29", "06092a864886f76364061d"), ("2.5.29.15", "0603551d0f"),
            ("1.2.840.113549.1.1.11", "06092a864886f70d01010b"),
            ("0.9.2342.19200300.100.1.1", "060a0992268993f22c640101"),
        ])
    func objectIdentifier(_ dotted: String, _ expected: String) {
        #expect(Hexadecimal.encode(DER.objectIdentifier(dotted)) == expected)
    }

    @Test(
        "Integers are unsigned and minimal",
        arguments: [
            ([], "020100"), ([0], "020100"), ([0x7F], "02017f"), ([0x80], "02020080"), ([0, 0, 1], "020101"),
        ] as [([UInt8], String)])
    func integer(_ magnitude: [UInt8], _ expected: String) {
        #expect(Hexadecimal.encode(DER.integer(magnitude)) == expected)
    }

    @Test(
        "Lengths: short, long and indefinite",
        arguments: [(0, "0400"), (127, "047f"), (128, "048180"), (256, "04820100")])
    func length(_ count: Int, _ head: String) {
        let bytes = DER.octetString([UInt8](repeating: 0, count: count))
        #expect(Hexadecimal.encode(Array(bytes.prefix(bytes.count - count))) == head)
        #expect(DER.sequence([1], indefinite: true) == [0x30, 0x80, 1, 0, 0])
    }

    @Test(
        "Times before and after 2050",
        arguments: [
            (1_795_244_602, "3236313132313037303332325a", 0x17),
            (2_524_608_000, "32303530303130313030303030305a", 0x18),
        ] as [(Int64, String, UInt8)])
    func time(_ moment: Int64, _ digits: String, _ tag: UInt8) {
        let element = DER.time(moment)
        #expect(element.first == tag)
        #expect(Hexadecimal.encode(Array(element.dropFirst(2))) == digits)
    }

    @Test("A SET OF is ordered by its bytes")
    func setOrder() {
        #expect(DER.set([[4, 1, 9], [2, 1, 7]]) == [0x31, 6, 2, 1, 7, 4, 1, 9])
    }
}
