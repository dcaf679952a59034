import Foundation
import KeyFiles
import OrchardServiceKit
import Testing

@Suite("The file merchants.json")
struct MerchantsFileTests {
    private func problems(_ text: String?) throws -> [String] {
        let folder = try Folder()
        if let text { try Data(text.utf8).write(to: URL(filePath: folder.path("merchants.json"))) }
        do throws(ConfigurationError) {
            _ = try MerchantsFile(path: folder.path("merchants.json"))
            return []
        } catch {
            return error.problems.map {
                "\($0.key): \($0.reason)".replacing(folder.path("merchants.json"), with: "merchants.json")
            }
        }
    }

    @Test("is reported with its name and a reason when it is missing or truncated")
    func unreadable() throws {
        #expect(try problems(nil) == ["merchants: merchants.json: does not exist"])
        #expect(
            try problems("{\n\"merchants\": [") == [
                "merchants: merchants.json: line 2, column 15: the text ends where a value is expected; this is no valid JSON"
            ])
    }

    @Test("reports several problems separately, in one message")
    func several() throws {
        let found = try problems(#"{"merchants": [{"id": "tea"}]}"#)
        #expect(found.count > 4, "\(found)")
        #expect(found.allSatisfy { $0.hasPrefix("merchants: merchants.json: $.merchants[0].") }, "\(found)")
    }
}
