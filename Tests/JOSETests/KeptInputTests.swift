import Foundation
import Testing

/// The inputs that the fuzzer kept (Tests/Fuzz/Corpus), checked with the fuzzer's own properties.
@Suite("Kept inputs of the JOSE fuzzer")
struct KeptInputTests {
    @Test("satisfy every property")
    func replay() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Fuzz/Corpus/JOSE")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        #expect(files.count >= 6, "the corpus is in its place")
        let properties = try JOSEProperties()
        for file in files {
            let violation = properties.violation(Array(try Data(contentsOf: file)))
            #expect(violation == nil, "\(file.lastPathComponent)")
        }
    }
}
