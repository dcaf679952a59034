import Foundation
import Testing

/// The inputs that the fuzzer found worth keeping (Tests/Fuzz/Corpus), against the fuzzer's own properties.
@Suite("Inputs kept from fuzzing the request parser") struct KeptInputTests {
    @Test func eachHoldsTheProperties() throws {
        let folder = URL(filePath: #filePath).appending(path: "../../../Fuzz/Corpus/HTTPRequest").standardized
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        #expect(files.count > 10)
        for file in files {
            let violation = RequestParserProperties.violation(Array(try Data(contentsOf: file)))
            #expect(violation == nil, "\(file.lastPathComponent)")
        }
    }
}
