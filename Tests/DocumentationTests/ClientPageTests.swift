import Foundation
import TestSupport
import Testing

/// What docs/client-ios.md shows stands in `Tests/ClientIOS`, which `Tests/ClientIOS/run` compiles and runs.
@Suite("docs/client-ios.md")
struct ClientPageTests {
    @Test("shows code of the package, line by line")
    func blocks() throws {
        let blocks = try Document("docs/client-ios.md").blocks
        #expect(blocks.count >= 7)
        for block in blocks {
            try #require(block.info.hasPrefix("swift Tests/ClientIOS/"), "line \(block.line): \(block.info)")
            let path = String(block.info.dropFirst(6))
            let source = try String(contentsOf: Checkout.root.appending(path: path), encoding: .utf8)
            // A line of … stands for lines that are left out.
            for part in block.text.split(separator: "    …\n") {
                #expect(source.contains(part), "docs/client-ios.md:\(block.line): \(path) has no such lines")
            }
        }
    }

    @Test("names each file of the client")
    func files() throws {
        let page = try Document("docs/client-ios.md").lines.joined(separator: "\n")
        let folder = Checkout.root.appending(path: "Tests/ClientIOS/Sources/OrchardClient")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(files.count > 5)
        for file in files { #expect(page.contains("`\(file)`"), "\(file)") }
    }

    @Test("the stub says what it is in the first line of each file")
    func stub() throws {
        let folder = Checkout.root.appending(path: "Tests/ClientIOS/Sources/PassKitStub")
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
            #expect(text.hasPrefix("// A stub of PassKit"), "\(file)")
        }
    }
}
