import Foundation

/// The checkout that these tests were built from.
public enum Checkout {
    /// Its root folder.
    public static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        .standardizedFileURL

    /// The Swift files below some of its folders: path and text.
    public static func sources(below folders: [String]) throws -> [(path: String, text: String)] {
        try folders.flatMap { folder in
            let paths =
                FileManager.default.enumerator(atPath: root.appending(path: folder).path)?
                .compactMap { $0 as? String } ?? []
            return try paths.filter { $0.hasSuffix(".swift") }.sorted().map { path in
                let path = "\(folder)/\(path)"
                return (path, try String(contentsOf: root.appending(path: path), encoding: .utf8))
            }
        }
    }
}
