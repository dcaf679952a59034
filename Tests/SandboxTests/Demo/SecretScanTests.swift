import Testing

@testable import SandboxDemo

@Suite("The search for card data")
struct SecretScanTests {
    @Test(
        "finds a card number wherever it stands",
        arguments: ["6228480402564890018", "x6228480402564890018", "{\"pan\":\"6228480402564890018\"}"])
    func finds(text: String) {
        var scan = SecretScan(secrets: ["6228480402564890018"])
        scan.scan(Array(text.utf8), place: "log")
        #expect(scan.findings.count == 1)
    }

    @Test("finds nothing else", arguments: ["", "6228480", "6228480402564890017", "62284804025648900"])
    func nothing(text: String) {
        var scan = SecretScan(secrets: ["6228480402564890018"])
        scan.scan(Array(text.utf8), place: "log")
        #expect(scan.findings.isEmpty)
    }

    @Test("never tells what it found")
    func silent() {
        var scan = SecretScan(secrets: ["6228480402564890018"])
        scan.scan(Array("6228480402564890018".utf8), place: "log")
        #expect(scan.findings.allSatisfy { !$0.text.contains("6228") })
    }
}
