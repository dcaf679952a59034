import Foundation

/// The outside oracles, which lie beside the checkout on the machine that develops and tests this.
enum Oracle {
    /// The path of an oracle; nil when it is not there.
    static func path(_ name: String) -> String? {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let path = root.appendingPathComponent("../shared/oracles/\(name)").standardized.path
        return FileManager.default.fileExists(atPath: path) ? path : nil
    }
}
