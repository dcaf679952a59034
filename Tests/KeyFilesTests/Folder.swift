import Foundation

/// A folder for one test, deleted with it.
final class Folder: Sendable {
    private let url = FileManager.default.temporaryDirectory.appending(path: "orchard-keys-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted() }

    func path(_ name: String) -> String { url.appending(path: name).path }

    func mode(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path(name))[.posixPermissions] as? Int
    }
}
