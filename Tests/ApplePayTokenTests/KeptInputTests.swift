import Foundation
import Testing

/// The inputs that the fuzzer kept (Tests/Fuzz/Corpus), checked against the fuzzer's own properties.
@Suite("Kept inputs of the PaymentToken fuzzer")
struct KeptInputTests {
    @Test("satisfy every property")
    func replay() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Fuzz/Corpus/PaymentToken")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        #expect(files.count >= 4, "the corpus is in its place")
        let properties = PaymentTokenProperties()
        for file in files {
            let violation = properties.violation(Array(try Data(contentsOf: file)))
            #expect(violation == nil, "\(file.lastPathComponent)")
        }
    }
}
