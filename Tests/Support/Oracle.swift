import Foundation

/// The outside oracles, which lie beside the checkout on the machine that develops and tests this.
public enum Oracle {
    /// The path of an oracle; nil when it is not there.
    public static func path(_ name: String) -> String? {
        let path = Checkout.root.appending(path: "../shared/oracles/\(name)").standardizedFileURL.path
        return FileManager.default.fileExists(atPath: path) ? path : nil
    }

    /// Runs a Python program to its end.
    public static func python(_ arguments: [String]) async throws -> ProgramRun {
        try await ProgramRun.outside("python3", arguments)
    }
}
