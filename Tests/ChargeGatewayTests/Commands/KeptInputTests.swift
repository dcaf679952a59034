import Foundation
import TestSupport
import Testing

@Suite("Inputs of the commands that the fuzzer kept")
struct KeptInputTests {
    private static let folder = Checkout.root.appending(path: "Tests/Fuzz/Corpus/CommandRecord")

    @Test("are read, and what is kept of them can be sent to PostgreSQL")
    func hold() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).sorted()
        #expect(!names.isEmpty)
        for name in names {
            let bytes = Array(try Data(contentsOf: Self.folder.appending(path: name)))
            #expect(CommandRecordProperties.violation(bytes) == nil, "\(name)")
        }
    }
}
