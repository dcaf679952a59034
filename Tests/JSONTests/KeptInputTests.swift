import Foundation
import Testing

/// The inputs that the fuzzer kept (Tests/Fuzz/Corpus), checked with the fuzzer's own properties.
@Suite("Kept inputs of the JSON fuzzer")
struct KeptInputTests {
    @Test("satisfy every property")
    func replay() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Fuzz/Corpus/JSON")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        #expect(files.count >= 13, "the corpus is in its place")
        for file in files {
            let violation = JSONProperties.violation(Array(try Data(contentsOf: file)))
            #expect(violation == nil, "\(file.lastPathComponent)")
        }
    }
}
