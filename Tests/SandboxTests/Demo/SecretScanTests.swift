import Testing

@testable import SandboxDemo

@Suite("The search for card data")
struct SecretScanTests {
    private var scan = SecretScan(secrets: ["6228480402564890018"], marker: "01a2b3c4d5e6f708")

    @Test(
        "finds a card number at any position",
        arguments: ["6228480402564890018", "x6228480402564890018", "{\"pan\":\"6228480402564890018\"}"])
    mutating func finds(text: String) {
        scan.scan(Array(text.utf8), place: "log")
        #expect(scan.findings.count == 1)
    }

    @Test("finds nothing else", arguments: ["", "6228480", "6228480402564890017", "62284804025648900"])
    mutating func nothing(text: String) {
        scan.scan(Array(text.utf8), place: "log")
        #expect(scan.findings.isEmpty)
    }

    @Test("never shows what it found")
    mutating func silent() {
        scan.scan(Array("6228480402564890018".utf8), place: "log")
        #expect(scan.findings.allSatisfy { !$0.text.contains("6228") })
    }

    @Test("counts the marker, which is no secret")
    mutating func marker() {
        scan.scan(Array("order 01a2b3c4d5e6f708, 01a2b3c4d5e6f709, 01a2b3c4d5e6f708".utf8), place: "log")
        #expect(scan.markersSeen == 2)
        #expect(scan.findings.isEmpty)
        #expect(scan.count == 1)
    }
}
