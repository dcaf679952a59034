import Foundation
import TestSupport
import Testing

/// docs/client-ios.md explains `Tests/ClientIOS`, which `Tests/ClientIOS/run` compiles and runs.
@Suite("docs/client-ios.md")
struct ClientPageTests {
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
